import type { Box } from "@orthant/core";
import { type SeededGenerator, withBlockIds } from "@orthant/core/generate";
import type { GeneratorMap } from "@orthant/core/tree";
import { ListenerSet } from "@orthant/core/world";
import { type EngineCore, requireNoShard } from "./engine-core.ts";
import type { WorldBlocks } from "./world-blocks.ts";

/** What keeps its generators when the generator of a world changes, besides all that is stored. */
export interface KeptGenerators {
  /** Distance from stored regions, in chunks. */
  readonly marginChunks: number;
  /** Boxes of chunks. */
  readonly boxes: readonly Box[];
}

/** Changes the generator of an open world where nothing is stored. */
export class WorldGenerators {
  readonly #core: EngineCore;
  readonly #blocks: WorldBlocks;
  readonly #listeners = new ListenerSet<[GeneratorMap]>();

  /** @internal */
  constructor(core: EngineCore, blocks: WorldBlocks) {
    this.#core = core;
    this.#blocks = blocks;
  }

  /** The generators, and where each of them applies. */
  get map(): GeneratorMap {
    return this.#core.content.regions.state.generatorMap;
  }

  /**
   * Changes the generator of untouched space as one commit, which is durable when the promise resolves. Edits wait
   * meanwhile. Does nothing if the world has this generator already. See `World.changeGenerator`.
   */
  async change({ ref: given, generator }: SeededGenerator, keep: KeptGenerators): Promise<GeneratorMap> {
    const { content, saver, queue, requireWritable } = this.#core;
    requireWritable();
    requireNoShard(this.#core, "generator");
    const { generators: known, shape } = content.regions.state;
    const generators = known.knows(given) ? known : known.including(generator);
    // Refused now what could not be opened later, such as a generator of other dimensions.
    generators.open(given, shape);
    if (generator.blocks !== undefined) await this.#blocks.define(generator.blocks);
    const ref = withBlockIds(given, generator, content.catalog);
    return queue.run(() =>
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
