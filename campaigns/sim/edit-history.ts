import type { Chunk, ChunkShape, Position } from "@orthant/core";
import { bytesEqual } from "@orthant/core/bytes";
import {
  chunkOfVoxel,
  PositionMap,
  positionsLexicographic,
  voxelIndex,
  voxelOfIndex,
} from "@orthant/core/lattice";
import type { ClockChange, OverrideTree, VoxelPlacement } from "@orthant/core/tree";
import type { RegionStates } from "./region-states.ts";

/** The client and the number of its edit. */
export interface Origin {
  readonly clientId: bigint;
  readonly editId: number;
}

/** An edit that a world applied, or found to change nothing. */
export interface MadeEdit {
  /** `undefined` for an edit that no client requested. */
  readonly origin: Origin | undefined;
  readonly placements: readonly VoxelPlacement[];
  readonly clocks: readonly ClockChange[];
}

/** State of a reopened world. */
export interface Recovered {
  clockOf(region: Position): number;
  lastEditOf(clientId: bigint): number;
  readonly overrides: OverrideTree;
}

/** The block and the data of a voxel. */
interface VoxelContent {
  readonly block: number;
  readonly data: Uint8Array | undefined;
}

interface Entry extends MadeEdit {
  /** The same client's last edit before this one. */
  readonly lastEditId: number;
}

/**
 * The edits of a world in the order in which it applied them, and a flat map of the result. A crash may
 * remove only the end of the history, and never a durable edit.
 */
export class EditHistory {
  readonly #shape: ChunkShape;
  readonly #states: RegionStates;
  #entries: Entry[] = [];
  #voxels = new PositionMap<VoxelContent>();
  readonly #lastEdits = new Map<bigint, number>();
  readonly #clocks = new PositionMap<number>();
  /** Every client edit ever applied, lost or not, as last applied. */
  readonly #everMade = new Map<string, MadeEdit>();
  /** Client edits that are not lost. */
  readonly #present = new Set<string>();
  readonly #refused = new Set<string>();
  #durable = 0;

  constructor(shape: ChunkShape, states: RegionStates) {
    this.#shape = shape;
    this.#states = states;
  }

  /** Number of edits that are not lost. */
  get length(): number {
    return this.#entries.length;
  }

  /** Marks the first `count` edits as durable. */
  markDurable(count: number): void {
    this.#durable = Math.max(this.#durable, count);
  }

  /** Adds an edit. Throws when it was applied before, or changed something else than it should have. */
  add(edit: MadeEdit): void {
    const { origin, placements, clocks } = edit;
    const lastEditId = origin === undefined ? 0 : (this.#lastEdits.get(origin.clientId) ?? 0);
    if (origin !== undefined && origin.editId <= lastEditId) {
      throw new Error(`edit ${origin.editId} of client ${origin.clientId} was made after edit ${lastEditId}`);
    }
    if (origin !== undefined && this.#refused.has(keyOf(origin))) {
      throw new Error(`edit ${origin.editId} of client ${origin.clientId} was made after it was refused`);
    }
    if (this.#changes(placements) !== clocks.length > 0) {
      throw new Error(`an edit of ${placements.length} voxels moved ${clocks.length} clocks`);
    }
    for (const { region, before } of clocks) {
      const known = this.#clocks.get(...region) ?? 0;
      if (known !== before) throw new Error(`region [${region}] went on from clock ${before}, not ${known}`);
    }
    this.#take({ ...edit, lastEditId });
  }

  /** Returns whether an edit was applied and not lost. */
  has(origin: Origin): boolean {
    return this.#present.has(keyOf(origin));
  }

  /** Returns the outcome of an edit when last applied; `undefined` when it never was. */
  outcomeOf(origin: Origin): "applied" | "unchanged" | undefined {
    const made = this.#everMade.get(keyOf(origin));
    return made && (made.clocks.length > 0 ? "applied" : "unchanged");
  }

  /** Records that a client received a refusal of its edit. */
  refuse(origin: Origin): void {
    this.#refused.add(keyOf(origin));
  }

  /** Returns the clocks that an edit moved when last applied. */
  clocksOf(origin: Origin): readonly ClockChange[] {
    const made = this.#everMade.get(keyOf(origin));
    return made?.clocks ?? [];
  }

  /** Announces that the world will be opened from an old copy, so that no edit counts as durable. */
  rollBack(): void {
    this.#durable = 0;
  }

  /** Checks a reopened world, and drops the edits that a crash took from it. */
  recover(world: Recovered): void {
    const length = this.#lengthOf(world);
    if (length === undefined)
      throw new Error("the world that was opened again is of no moment of its history");
    if (length < this.#durable) {
      throw new Error(`${length} edits are left of ${this.#durable} that were durable`);
    }
    const kept = this.#entries.slice(0, length);
    this.#entries = [];
    this.#voxels = new PositionMap();
    this.#lastEdits.clear();
    this.#clocks.clear();
    this.#present.clear();
    for (const entry of kept) this.#take(entry);
    this.compare(world.overrides);
  }

  /** Throws unless the overrides match the flat map, voxel by voxel. */
  compare(overrides: OverrideTree): void {
    for (const [voxel, content] of this.#voxels) {
      const chunk = chunkOfVoxel(this.#shape, voxel);
      const held = overrides.at(...chunk) ?? this.#states.generatedAt(chunk);
      requireContent(voxel, contentIn(held, voxelIndex(this.#shape, ...voxel)), content);
    }
    for (const { box, content } of overrides.pieces()) {
      for (const position of positionsLexicographic(box)) {
        const generated = this.#states.generatedAt(position);
        content.forEach((_, index) => {
          const voxel = voxelOfIndex(this.#shape, position, index);
          const wanted = this.#voxels.get(...voxel) ?? contentIn(generated, index);
          requireContent(voxel, contentIn(content, index), wanted);
        });
      }
    }
  }

  /** Returns the clock of a region after all edits. */
  clockOf(region: Position): number {
    return this.#clocks.get(...region) ?? 0;
  }

  #take(entry: Entry): void {
    this.#entries.push(entry);
    for (const [voxel, content] of this.#after(entry.placements)) this.#voxels.set(...voxel, content);
    for (const { region, after } of entry.clocks) this.#clocks.set(...region, after);
    if (entry.origin === undefined) return;
    this.#lastEdits.set(entry.origin.clientId, entry.origin.editId);
    this.#present.add(keyOf(entry.origin));
    this.#everMade.set(keyOf(entry.origin), entry);
  }

  #changes(placements: readonly VoxelPlacement[]): boolean {
    for (const [voxel, content] of this.#after(placements)) {
      if (!isSame(this.#contentAt(voxel), content)) return true;
    }
    return false;
  }

  /** Returns what placements leave in their voxels. */
  #after(placements: readonly VoxelPlacement[]): PositionMap<VoxelContent> {
    const after = new PositionMap<VoxelContent>();
    for (const { voxel, block, data } of placements) {
      const old = after.get(...voxel) ?? this.#contentAt(voxel);
      const young = block ?? old.block;
      const stays = data === undefined && young === old.block;
      after.set(...voxel, { block: young, data: stays ? old.data : (data ?? undefined) });
    }
    return after;
  }

  #contentAt(voxel: Position): VoxelContent {
    const known = this.#voxels.get(...voxel);
    if (known !== undefined) return known;
    const chunk = this.#states.generatedAt(chunkOfVoxel(this.#shape, voxel));
    return contentIn(chunk, voxelIndex(this.#shape, ...voxel));
  }

  /** Returns the greatest number of edits after which the history matches the world. */
  #lengthOf(world: Recovered): number | undefined {
    const wrong = new Set<string>();
    const compareClock = (region: Position, clock: number) =>
      mark(wrong, `region ${region}`, world.clockOf(region) !== clock);
    const compareLast = (clientId: bigint, editId: number) =>
      mark(wrong, `client ${clientId}`, world.lastEditOf(clientId) !== editId);
    for (const [region, clock] of this.#clocks) compareClock(region, clock);
    for (const [clientId, editId] of this.#lastEdits) compareLast(clientId, editId);
    for (let length = this.#entries.length; length >= 0; length--) {
      if (wrong.size === 0) return length;
      const entry = this.#entries[length - 1];
      if (entry === undefined) return undefined;
      for (const { region, before } of entry.clocks) compareClock(region, before);
      if (entry.origin !== undefined) compareLast(entry.origin.clientId, entry.lastEditId);
    }
    return undefined;
  }
}

function contentIn(chunk: Chunk, index: number): VoxelContent {
  return { block: chunk.get(index), data: chunk.data.at(index) };
}

function isSame(a: VoxelContent, b: VoxelContent): boolean {
  if (a.block !== b.block) return false;
  return a.data && b.data ? bytesEqual(a.data, b.data) : a.data === b.data;
}

/** Throws unless a voxel has the block and the data that it must have. */
function requireContent(voxel: Position, found: VoxelContent, wanted: VoxelContent): void {
  if (isSame(found, wanted)) return;
  const shown = ({ block, data }: VoxelContent): string =>
    `${block} with ${data?.length ?? "no"} bytes of data`;
  throw new Error(`voxel [${voxel}] is ${shown(found)} where ${shown(wanted)} must be`);
}

function keyOf({ clientId, editId }: Origin): string {
  return `${clientId}/${editId}`;
}

function mark(set: Set<string>, key: string, isWrong: boolean): void {
  if (isWrong) set.add(key);
  else set.delete(key);
}
