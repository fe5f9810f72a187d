import type { BlockPlacement, Dimensions, EditResult, Position, VoxelWorld } from "@orthant/core";
import {
  checkedOptions,
  requireBlock,
  requireFunction,
  requireList,
  requireObject,
  whole,
} from "@orthant/core/arguments";
import { bytesEqual } from "@orthant/core/bytes";
import { sameTypeIn } from "@orthant/core/chunk";
import { encodeData } from "@orthant/core/world";

/** What a history needs of a world: a `ClientWorld` and a `World` fit. */
export type EditableWorld<D extends Dimensions> = Pick<
  VoxelWorld<D>,
  "voxelAt" | "get" | "dataAt" | "data" | "edit" | "blocks" | "dataCodec"
>;

/** How much a history keeps. */
export interface EditHistoryOptions {
  /** Number of edits that can be undone; by default 100. */
  readonly editsMax?: number;
}

const EDITS_MAX_DEFAULT = 100;
const EDITS_MAX_LIMIT = 65_536;

/** The block of a voxel and its data, `undefined` if it has none. */
interface VoxelContent {
  readonly block: number;
  readonly data: unknown;
}

/** A voxel that an edit changed, before and after. */
interface Change<D extends Dimensions> {
  readonly position: Position<D>;
  readonly before: VoxelContent;
  readonly after: VoxelContent;
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
  /** The voxels of edits without a result yet, by position, the newest first: not every world shows an edit before it is applied. */
  #pending: readonly ReadonlyMap<string, VoxelContent>[] = [];
  /** Set while blocks are read that were not in memory. Everything else waits for it, so that the order stays. */
  #reading: Promise<void> | undefined;

  constructor(world: EditableWorld<D>, options: EditHistoryOptions = {}) {
    requireObject("world", world, "it is a World or a ClientWorld");
    for (const method of ["voxelAt", "get", "dataAt", "data", "edit"] as const)
      requireFunction(`world.${method}`, world[method]);
    const { editsMax = EDITS_MAX_DEFAULT } = checkedOptions("options", options, {
      editsMax: whole(1, EDITS_MAX_LIMIT),
    });
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
    const positions = editedPositions(placements);
    while (this.#reading !== undefined) await this.#reading;
    const read = this.#read(positions);
    const before = read instanceof Promise ? await read : read;
    const after = this.#after(placements, new Map(positions.map((at, index) => [String(at), before[index]])));
    const step = positions.flatMap((position, index): Step<D> => {
      const [old, young] = [before[index], after.get(String(position))];
      if (old === undefined || young === undefined || this.#isSame(old, young)) return [];
      return [{ position, before: old, after: young }];
    });
    if (step.length === 0) return this.#world.edit(placements);
    this.#redos = [];
    this.#undos = [...this.#undos, step].slice(-this.#editsMax);
    return this.#apply(placements, after, () => {
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
    const found = read instanceof Promise ? await read : read;
    const kept = step.filter(({ after }, index) => this.#isSame(found[index], after));
    if (kept.length === 0) return { status: "unchanged" };
    this.#redos = [...this.#redos, kept];
    return this.#turn(
      kept.map(({ position, before, after }) => ({ position, before: after, after: before })),
      () => {
        this.#redos = this.#redos.filter((other) => other !== kept);
      },
    );
  }

  /** Makes the edit again that was undone last. Returns `undefined` when there is none. */
  async redo(): Promise<EditResult | undefined> {
    while (this.#reading !== undefined) await this.#reading;
    const step = this.#redos.at(-1);
    if (step === undefined) return undefined;
    this.#redos = this.#redos.slice(0, -1);
    const read = this.#read(step.map(({ position }) => position));
    const found = read instanceof Promise ? await read : read;
    const kept = step.filter(({ before }, index) => this.#isSame(found[index], before));
    if (kept.length === 0) return { status: "unchanged" };
    this.#undos = [...this.#undos, kept].slice(-this.#editsMax);
    return this.#turn(kept, () => {
      this.#undos = this.#undos.filter((other) => other !== kept);
    });
  }

  /** Makes the changes of a step. */
  #turn(step: Step<D>, forget: () => void): Promise<EditResult> {
    const placements = step.map(({ position, before, after }): BlockPlacement<D> => {
      const { block, data } = after;
      if (data !== undefined) return { position, block, data };
      // Data has to be removed only where it would stay.
      const stays = before.data !== undefined && this.#isSameType(before.block, block);
      return stays ? { position, block, data: null } : { position, block };
    });
    return this.#apply(
      placements,
      new Map(step.map(({ position, after }) => [String(position), after])),
      forget,
    );
  }

  /** Edits the world; calls `forget` if nothing comes of it. */
  async #apply(
    placements: readonly BlockPlacement<D>[],
    pending: ReadonlyMap<string, VoxelContent>,
    forget: () => void,
  ): Promise<EditResult> {
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

  /** Returns what placements leave in their voxels. */
  #after(
    placements: readonly BlockPlacement<D>[],
    before: ReadonlyMap<string, VoxelContent | undefined>,
  ): ReadonlyMap<string, VoxelContent> {
    const after = new Map<string, VoxelContent>();
    for (const { position, block, data } of placements) {
      const key = String(position);
      const old = after.get(key) ?? before.get(key);
      const young = block ?? old?.block;
      if (old === undefined || young === undefined) continue;
      const stays = data === undefined && this.#isSameType(old.block, young);
      after.set(key, { block: young, data: stays ? old.data : (data ?? undefined) });
    }
    return after;
  }

  #isSameType(a: number, b: number): boolean {
    return sameTypeIn(this.#world.blocks)(a, b);
  }

  #isSame(a: VoxelContent | undefined, b: VoxelContent): boolean {
    if (a?.block !== b.block) return false;
    const [mine, theirs] = [a.data, b.data].map((data) => encodeData(this.#world.dataCodec, "data", data));
    return mine && theirs ? bytesEqual(mine, theirs) : (mine ?? undefined) === (theirs ?? undefined);
  }

  /** Returns voxels: without a promise if all are in memory, so that an edit shows before `edit` returns. */
  #read(positions: readonly Position<D>[]): Promise<readonly VoxelContent[]> | readonly VoxelContent[] {
    const found = positions.map((position) => this.#contentAt(position));
    if (!found.includes(undefined)) return found as readonly VoxelContent[];
    const reading = Promise.all(
      found.map((content, index) => content ?? this.#readContent(positions[index] as Position<D>)),
    );
    const end = (): void => {
      this.#reading = undefined;
    };
    this.#reading = reading.then(end, end);
    return reading;
  }

  async #readContent(position: Position<D>): Promise<VoxelContent> {
    const [block, data] = await Promise.all([this.#world.get(position), this.#world.data(position)]);
    return { block, data };
  }

  #contentAt(position: Position<D>): VoxelContent | undefined {
    const key = String(position);
    const pending = this.#pending.find((voxels) => voxels.has(key))?.get(key);
    if (pending !== undefined) return pending;
    const block = this.#world.voxelAt(position);
    return block === undefined ? undefined : { block, data: this.#world.dataAt(position) };
  }
}

/** Returns the positions of placements, each once. */
function editedPositions<D extends Dimensions>(
  placements: readonly BlockPlacement<D>[],
): readonly Position<D>[] {
  requireList("placements", placements, "it is a list of { position, block }");
  const positions = new Map<string, Position<D>>();
  for (const [index, placement] of placements.entries()) {
    requireObject(`placements[${index}]`, placement, "it is { position, block }");
    const { position, block, data } = placement;
    requireList(`placements[${index}].position`, position, "it is a position, such as [0, 64, 0]");
    if (block !== undefined || data === undefined) requireBlock(`placements[${index}].block`, block);
    positions.set(String(position), position);
  }
  return [...positions.values()];
}
