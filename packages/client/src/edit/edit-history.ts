import type { BlockPlacement, Dimensions, EditResult, Position, VoxelWorld } from "@orthant/core";
import {
  requireBlock,
  requireFunction,
  requireInteger,
  requireKnownFields,
  requireList,
  requireObject,
} from "@orthant/core/engine";

/** What a history needs of a world: a `ClientWorld` and a `World` fit. */
export type EditableWorld<D extends Dimensions> = Pick<VoxelWorld<D>, "voxelAt" | "get" | "edit">;

/** How much a history keeps. */
export interface EditHistoryOptions {
  /** Number of edits that can be undone; by default 100. */
  readonly editsMax?: number;
}

const EDITS_MAX_DEFAULT = 100;
const EDITS_MAX_LIMIT = 65_536;

/** A voxel that an edit changed, and both of its blocks. */
interface Change<D extends Dimensions> {
  readonly position: Position<D>;
  readonly before: number;
  readonly after: number;
}

type Step<D extends Dimensions> = readonly Change<D>[];

/**
 * Edits a world, and can undo and redo these edits: those of one player, whatever others do meanwhile. A voxel that has
 * been changed since by someone else keeps that change.
 *
 * @example
 * const history = new EditHistory(client);
 * await history.edit(sphereBrush([0, 64, 0], 3, client.blocks.id("stone")));
 * await history.undo();
 * await history.redo();
 */
export class EditHistory<D extends Dimensions> {
  readonly #world: EditableWorld<D>;
  readonly #editsMax: number;
  #undos: readonly Step<D>[] = [];
  #redos: readonly Step<D>[] = [];
  /** The blocks of edits without a result yet, by position, the newest first: not every world shows an edit before it is applied. */
  #pending: readonly ReadonlyMap<string, number>[] = [];
  /** Set while blocks are read that were not in memory. Everything else waits for it, so that the order stays. */
  #reading: Promise<void> | undefined;

  constructor(world: EditableWorld<D>, options: EditHistoryOptions = {}) {
    requireObject("world", world, "it is a World or a ClientWorld");
    for (const method of ["voxelAt", "get", "edit"] as const)
      requireFunction(`world.${method}`, world[method]);
    requireObject("options", options, "it is an object, or left out");
    requireKnownFields("options", options, ["editsMax"]);
    const { editsMax = EDITS_MAX_DEFAULT } = options;
    requireInteger(editsMax, 1, EDITS_MAX_LIMIT, "editsMax");
    this.#world = world;
    this.#editsMax = editsMax;
  }

  /** Whether there is an edit to undo. */
  get canUndo(): boolean {
    return this.#undos.length > 0;
  }

  /** Whether there is an edit to redo: one that was undone, with no other edit after that. */
  get canRedo(): boolean {
    return this.#redos.length > 0;
  }

  /** Edits the world as its own `edit` does, and remembers the voxels before. A rejected edit is forgotten. */
  async edit(placements: readonly BlockPlacement<D>[]): Promise<EditResult> {
    const wanted = lastPlacements(placements);
    while (this.#reading !== undefined) await this.#reading;
    const read = this.#read(wanted.map(({ position }) => position));
    const before = read instanceof Promise ? await read : read;
    const step = wanted.flatMap(({ position, block }, index) => {
      const old = before[index] as number;
      return old === block ? [] : [{ position, before: old, after: block }];
    });
    if (step.length === 0) return this.#world.edit(placements);
    this.#redos = [];
    this.#undos = [...this.#undos, step].slice(-this.#editsMax);
    return this.#apply(placements, () => {
      this.#undos = this.#undos.filter((other) => other !== step);
    });
  }

  /** Undoes the last edit. Returns `undefined` when there is none. A rejected undo is forgotten, as the edit is then. */
  async undo(): Promise<EditResult | undefined> {
    while (this.#reading !== undefined) await this.#reading;
    const step = this.#undos.at(-1);
    if (step === undefined) return undefined;
    this.#undos = this.#undos.slice(0, -1);
    const read = this.#read(step.map(({ position }) => position));
    const blocks = read instanceof Promise ? await read : read;
    const kept = step.filter(({ after }, index) => blocks[index] === after);
    if (kept.length === 0) return { status: "unchanged" };
    this.#redos = [...this.#redos, kept];
    const placements = kept.map(({ position, before }) => ({ position, block: before }));
    return this.#apply(placements, () => {
      this.#redos = this.#redos.filter((other) => other !== kept);
    });
  }

  /** Makes the edit again that was undone last. Returns `undefined` when there is none. */
  async redo(): Promise<EditResult | undefined> {
    while (this.#reading !== undefined) await this.#reading;
    const step = this.#redos.at(-1);
    if (step === undefined) return undefined;
    this.#redos = this.#redos.slice(0, -1);
    const read = this.#read(step.map(({ position }) => position));
    const blocks = read instanceof Promise ? await read : read;
    const kept = step.filter(({ before }, index) => blocks[index] === before);
    if (kept.length === 0) return { status: "unchanged" };
    this.#undos = [...this.#undos, kept].slice(-this.#editsMax);
    const placements = kept.map(({ position, after }) => ({ position, block: after }));
    return this.#apply(placements, () => {
      this.#undos = this.#undos.filter((other) => other !== kept);
    });
  }

  /** Edits the world; calls `forget` if nothing comes of it. */
  async #apply(placements: readonly BlockPlacement<D>[], forget: () => void): Promise<EditResult> {
    const pending = new Map(placements.map(({ position, block }) => [String(position), block]));
    this.#pending = [pending, ...this.#pending];
    try {
      const result = await this.#world.edit(placements);
      if (result.status === "rejected") forget();
      return result;
    } catch (error) {
      forget();
      throw error;
    } finally {
      this.#pending = this.#pending.filter((other) => other !== pending);
    }
  }

  /** Returns blocks: without a promise if all are in memory, so that an edit shows before `edit` returns. */
  #read(positions: readonly Position<D>[]): Promise<readonly number[]> | readonly number[] {
    const blocks = positions.map((position) => this.#blockAt(position));
    if (!blocks.includes(undefined)) return blocks as readonly number[];
    const reading = Promise.all(
      blocks.map((block, index) => block ?? this.#world.get(positions[index] as Position<D>)),
    );
    const end = (): void => {
      this.#reading = undefined;
    };
    this.#reading = reading.then(end, end);
    return reading;
  }

  #blockAt(position: Position<D>): number | undefined {
    const key = String(position);
    return this.#pending.find((blocks) => blocks.has(key))?.get(key) ?? this.#world.voxelAt(position);
  }
}

/** Returns the placements that count: the last one for each voxel. */
function lastPlacements<D extends Dimensions>(
  placements: readonly BlockPlacement<D>[],
): readonly BlockPlacement<D>[] {
  requireList("placements", placements, "it is a list of { position, block }");
  const last = new Map<string, BlockPlacement<D>>();
  for (const [index, placement] of placements.entries()) {
    requireObject(`placements[${index}]`, placement, "it is { position, block }");
    requireList(`placements[${index}].position`, placement.position, "it is a position, such as [0, 64, 0]");
    requireBlock(`placements[${index}].block`, placement.block);
    last.set(String(placement.position), placement);
  }
  return [...last.values()];
}
