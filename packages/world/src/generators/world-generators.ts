import { type Box, OrthantError } from "@orthant/core";
import type { SeededGenerator } from "@orthant/core/generate";
import type { GeneratorMap } from "@orthant/core/tree";
import { ListenerSet } from "@orthant/core/world";
import type { WorldContent } from "../content/world-content.ts";
import type { WorldEditor } from "../edit/world-editor.ts";
import type { WorldSaver } from "../saving/world-saver.ts";

/** What keeps its generators when the generator of a world changes, besides all that is stored. */
export interface KeptGenerators {
  /** Distance from stored regions, in chunks. */
  readonly marginChunks: number;
  /** Boxes of chunks. */
  readonly boxes: readonly Box[];
}

/** What {@link WorldGenerators} needs of a world. */
interface WorldGeneratorsContext {
  readonly content: WorldContent;
  readonly editor: WorldEditor;
  readonly saver: WorldSaver;
  /** Whether the world is a shard of a cluster, whose map has the generator. */
  readonly isShard: boolean;
  /** Throws unless the world accepts changes. */
  requireWritable(): void;
}

/** Changes the generator of an open world where nothing is stored. */
export class WorldGenerators {
  readonly #context: WorldGeneratorsContext;
  readonly #listeners = new ListenerSet<[GeneratorMap]>();

  constructor(context: WorldGeneratorsContext) {
    this.#context = context;
  }

  /** The generators, and where each of them applies. */
  get map(): GeneratorMap {
    return this.#context.content.regions.state.generatorMap;
  }

  /**
   * Changes the generator of untouched space as one commit, which is durable when the promise resolves. Edits wait
   * meanwhile. Does nothing if the world has this generator already. See `World.changeGenerator`.
   */
  async change({ ref, generator }: SeededGenerator, keep: KeptGenerators): Promise<GeneratorMap> {
    const { content, editor, saver, isShard, requireWritable } = this.#context;
    requireWritable();
    if (isShard) throw fixedGenerator();
    const { generators: known, shape } = content.regions.state;
    const generators = known.knows(ref) ? known : known.including(generator);
    // Refused now what could not be opened later, such as a generator of other dimensions.
    generators.open(ref, shape);
    return editor.exclusively(() =>
      saver.exclusively(async (commit) => {
        if (this.map.current.equals(ref)) return this.map;
        // Everything that was edited is then stored, and keeps its generator.
        await commit();
        await commit({ next: ref, generators, ...keep });
        this.#listeners.emit(this.map);
        return this.map;
      }),
    );
  }

  /** Calls `listener` after each change. Returns an unsubscribe function. */
  onChange(listener: (map: GeneratorMap) => void): () => void {
    return this.#listeners.add(listener);
  }
}

function fixedGenerator(): OrthantError {
  return new OrthantError(
    "ORT_ARGUMENT",
    "the generator of a world that a cluster shares does not change while it runs: change it before the cluster is created",
  );
}
