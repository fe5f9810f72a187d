import {
  type Box,
  type Chunk,
  type ChunkShape,
  type GeneratorRegistry,
  OrthantError,
  type Position,
} from "@orthant/core";
import { requireAtMost, requireInteger, requirePrintableName, requireText } from "@orthant/core/arguments";
import {
  axisOutside,
  boxAt,
  boxContains,
  boxVolume,
  intersectBoxes,
  PositionMap,
  positionFrom,
  positionsLexicographic,
  WHOLE_LATTICE,
} from "@orthant/core/lattice";
import type { GeneratorMap, StateEdit, WorldState } from "@orthant/core/tree";
import type { Disk } from "@orthant/disk";
import {
  type GlobalState,
  listGenerations,
  type OpenSaveOptions,
  openSave,
  type Save,
  type WorldDescription,
} from "@orthant/save";
import { generatorMapOf } from "@orthant/save/content";
import type { QueuedEdit } from "../edit/queued-edit.ts";
import { requireMoment } from "../options/checked-arguments.ts";
import { EDIT_CHUNKS_MAX, type Moment } from "../options/world-options.ts";
import { loadLeavesTouching } from "../regions/region-reader.ts";
import type { EngineCore } from "./engine-core.ts";

/** The kept saved states of a world and their names. */
export class WorldHistory {
  readonly #disk: Disk;
  readonly #core: EngineCore;

  /** @internal */
  constructor(disk: Disk, core: EngineCore) {
    this.#disk = disk;
    this.#core = core;
  }

  /** Lists all saved states that can be opened, oldest first. */
  generations(): Promise<readonly WorldGeneration[]> {
    return listKept(this.#disk, this.#description);
  }

  /** Returns the generation at `moment`. Throws `ORT_NOT_FOUND` when no kept generation matches. */
  generationAt(moment: Moment): Promise<number> {
    return generationAt(this.#disk, moment, this.#description);
  }

  /**
   * Names a saved state, which is then kept until the name is removed. Without `generation`, saves and names
   * the new state. Returns the generation's number once the name is durable. A name that another generation
   * has moves to this one.
   */
  async tag(name: string, generation?: number): Promise<number> {
    this.#core.requireWritable();
    withName(this.#description, 0, name);
    if (generation !== undefined) requireInteger(generation, 0, Number.MAX_SAFE_INTEGER, "generation");
    return this.#core.saver.exclusively(async (commit) => {
      const chosen = generation ?? (await commit());
      await this.generationAt(chosen);
      this.#core.content.describe(withName(this.#description, chosen, name));
      await commit();
      return chosen;
    });
  }

  /** Removes a name. Its generation is then subject to normal retention. */
  async untag(name: string): Promise<void> {
    this.#core.requireWritable();
    const { content, queue, saver } = this.#core;
    content.describe(withoutName(this.#description, name));
    await queue.idle();
    await saver.save("everything");
  }

  get #description(): WorldDescription {
    return this.#core.content.global.description;
  }
}

/** A kept saved state of a world. */
export interface WorldGeneration {
  readonly generation: number;
  /** When it was saved, in milliseconds since 1970. */
  readonly savedMs: number;
  readonly name: string | undefined;
}

/** A generation's name is short, on one line, and cannot be mistaken for a number. */
const GENERATION_NAME = /^(?!\d+$).{1,64}$/u;

/** Lists all generations that can be opened, oldest first. */
async function listKept(
  disk: Disk,
  { namedGenerations }: WorldDescription,
): Promise<readonly WorldGeneration[]> {
  const names = new Map(namedGenerations.map(({ generation, name }) => [generation, name]));
  const found = await listGenerations(disk);
  return found
    .map(({ generation, atMs }) => ({ generation, savedMs: atMs, name: names.get(generation) }))
    .sort((a, b) => a.generation - b.generation);
}

/** Returns the generation at `moment`. Throws `ORT_NOT_FOUND` when it is not kept. */
export async function generationAt(
  disk: Disk,
  moment: Moment,
  description: WorldDescription,
): Promise<number> {
  requireMoment("moment", moment);
  const kept = await listKept(disk, description);
  const found = [...kept].reverse().find(({ generation, savedMs, name }) => {
    if (typeof moment === "number") return generation === moment;
    return typeof moment === "string" ? name === moment : savedMs <= moment.getTime();
  });
  if (found !== undefined) return found.generation;
  throw new OrthantError("ORT_NOT_FOUND", `${describeMoment(moment)} is not kept; ${describeKept(kept)}`);
}

/** Returns a description in which `name` belongs to `generation` alone. */
function withName(description: WorldDescription, generation: number, name: string): WorldDescription {
  requirePrintableName("name", name);
  if (!GENERATION_NAME.test(name)) {
    throw new OrthantError(
      "ORT_ARGUMENT",
      `${JSON.stringify(name)} is not a name for a generation: 1 to 64 characters in one line, and not only digits`,
    );
  }
  const others = description.namedGenerations.filter(
    (known) => known.generation !== generation && known.name !== name,
  );
  const namedGenerations = [...others, { generation, name }].sort((a, b) => a.generation - b.generation);
  return { ...description, namedGenerations };
}

/** Returns a description without `name`. Throws `ORT_NOT_FOUND` when no generation has that name. */
function withoutName(description: WorldDescription, name: string): WorldDescription {
  requireText("name", name);
  const namedGenerations = description.namedGenerations.filter((known) => known.name !== name);
  if (namedGenerations.length < description.namedGenerations.length)
    return { ...description, namedGenerations };
  const known = namedGenerations.map((named) => JSON.stringify(named.name)).join(", ");
  throw new OrthantError(
    "ORT_NOT_FOUND",
    `no generation is called ${JSON.stringify(name)}; ${known === "" ? "none has a name" : `there are ${known}`}`,
  );
}

/**
 * Returns an edit that restores a box of chunks to its state in a generation. Where the world had another generator then,
 * it restores what that one made, too.
 */
export async function restoreEdit(
  disk: Disk,
  box: Box,
  { generation, generators, now }: Required<OpenSaveOptions> & { readonly now: GeneratorMap },
): Promise<QueuedEdit> {
  const save = await openSave(disk, { generation, generators });
  try {
    const past = await chunksIn(save, box);
    await addGenerated(past, box, save.global, { generators, now });
    return {
      touched: [box],
      generated: (state) => editedIn(state, box, past),
      change(state) {
        if (!state.generatorMap.equals(now)) {
          const detail = "the generator of the world changed while the box was read: restore it again";
          throw new OrthantError("ORT_GENERATION", detail);
        }
        return restore(state, box, past);
      },
    };
  } finally {
    await save.close();
  }
}

/** Adds the untouched chunks of a box that another generator made than the one that would make them now. */
async function addGenerated(
  past: PositionMap<Chunk>,
  box: Box,
  global: GlobalState,
  { generators, now }: { readonly generators: GeneratorRegistry; readonly now: GeneratorMap },
): Promise<void> {
  const then = generatorMapOf(global);
  if (then.equals(now)) return;
  const { chunkShape } = global.description;
  const space = generators.openIfKnown(then, chunkShape);
  for (const { box: changed } of then.treeOf(box).differences(now.treeOf(box))) {
    const shown = intersectBoxes(changed, chunksOn(chunkShape));
    if (shown === undefined) continue;
    requireEditable(boxVolume(shown));
    for (const position of positionsLexicographic(shown)) {
      if (past.has(...position)) continue;
      past.set(...position, await space.realizeAsync(...position));
      requireEditable(past.size);
    }
  }
}

/** Returns all chunks on the axes that a world has. */
function chunksOn({ extents }: ChunkShape): Box {
  return {
    min: positionFrom((axis) => (extents[axis] > 1 ? WHOLE_LATTICE.min[axis] : 0)),
    max: positionFrom((axis) => (extents[axis] > 1 ? WHOLE_LATTICE.max[axis] : 1)),
  };
}

async function chunksIn(save: Save, box: Box): Promise<PositionMap<Chunk>> {
  const { chunkShape } = save.global.description;
  const chunks = new PositionMap<Chunk>();
  for (const leaf of await loadLeavesTouching(save.index, box)) {
    for (const { position, chunk } of await save.readChunks(leaf)) {
      const isVisible = axisOutside(chunkShape, position) === undefined;
      if (isVisible && boxContains(box, position)) chunks.set(...position, chunk);
    }
    requireEditable(chunks.size);
  }
  return chunks;
}

/** Returns the chunks that a restoration changes. */
function editedIn(state: WorldState, box: Box, past: PositionMap<Chunk>): readonly Box[] {
  const boxes = [...past.positions()].map(boxAt);
  let count = boxes.length;
  for (const { box: piece } of state.overrides.pieces(box)) {
    count += boxVolume(piece);
    requireEditable(count);
    boxes.push(piece);
  }
  return boxes;
}

function restore(state: WorldState, box: Box, past: PositionMap<Chunk>): StateEdit {
  const chunks: (readonly [Position, Chunk | undefined])[] = [...past];
  for (const { box: piece } of state.overrides.pieces(box)) {
    // Check before iterating: one piece may be very large.
    requireEditable(chunks.length + boxVolume(piece));
    for (const position of positionsLexicographic(piece)) {
      // Chunks edited since then were untouched before.
      if (!past.has(...position)) chunks.push([position, undefined]);
    }
  }
  return state.setChunks(chunks);
}

function requireEditable(chunks: number): void {
  requireAtMost(chunks, EDIT_CHUNKS_MAX, "chunks that were made in this box", "restore it in parts");
}

function describeMoment(moment: Moment): string {
  if (typeof moment === "number") return `generation ${moment}`;
  return typeof moment === "string"
    ? `a generation called ${JSON.stringify(moment)}`
    : `a generation of ${moment.toISOString()} or before`;
}

function describeKept(kept: readonly WorldGeneration[]): string {
  const [oldest] = kept;
  const newest = kept.at(-1);
  if (oldest === undefined || newest === undefined) return "there is none";
  const at = ({ generation, savedMs }: WorldGeneration): string =>
    `${generation} of ${new Date(savedMs).toISOString()}`;
  return `${kept.length} are, from ${at(oldest)} to ${at(newest)}`;
}
