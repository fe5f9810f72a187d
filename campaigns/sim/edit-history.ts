import {
  type ChunkShape,
  type ClockStep,
  cellOfVoxel,
  chunkOfVoxel,
  type OverrideTree,
  type Place,
  PlaceMap,
  placesLexicographic,
  type VoxelPlacement,
  voxelOfCell,
} from "@orthant/core";
import type { RegionStates } from "./region-states.ts";

/** Who asked for an edit. */
export interface Origin {
  readonly clientId: bigint;
  readonly editId: number;
}

/** An edit that a world made, or found to change nothing. */
export interface MadeEdit {
  /** `undefined` for one that no client asked for. */
  readonly origin: Origin | undefined;
  readonly placements: readonly VoxelPlacement[];
  readonly clocks: readonly ClockStep[];
}

/** What a world that was opened again says about itself. */
export interface Recovered {
  clockOf(region: Place): number;
  lastEditOf(clientId: bigint): number;
  readonly overrides: OverrideTree;
}

interface Entry extends MadeEdit {
  /** The last edit of the same client before this one. */
  readonly lastEditId: number;
}

/**
 * The edits of a world in the order in which they were made, and a flat map of what they led to. A crash may take
 * away the end of it, never anything else, and never what was durable.
 */
export class EditHistory {
  readonly #shape: ChunkShape;
  readonly #states: RegionStates;
  #entries: Entry[] = [];
  #voxels = new PlaceMap<number>();
  readonly #lastEdits = new Map<bigint, number>();
  readonly #clocks = new PlaceMap<number>();
  /** Each edit of a client that was ever made, lost or not, as it was made last. */
  readonly #everMade = new Map<string, MadeEdit>();
  /** The edits of clients that are here still. */
  readonly #present = new Set<string>();
  readonly #refused = new Set<string>();
  #durable = 0;

  constructor(shape: ChunkShape, states: RegionStates) {
    this.#shape = shape;
    this.#states = states;
  }

  /** How many edits were made and not lost. */
  get length(): number {
    return this.#entries.length;
  }

  /** Says that the first so many edits are durable. */
  markDurable(count: number): void {
    this.#durable = Math.max(this.#durable, count);
  }

  /** Adds an edit; throws when it was made before, or changed something else than it should have. */
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

  /** Whether an edit was made and not lost. */
  has(origin: Origin): boolean {
    return this.#present.has(keyOf(origin));
  }

  /** What became of an edit when it was made last; `undefined` when it never was. */
  outcomeOf(origin: Origin): "applied" | "unchanged" | undefined {
    const made = this.#everMade.get(keyOf(origin));
    return made && (made.clocks.length > 0 ? "applied" : "unchanged");
  }

  /** Says that a client was told that its edit is refused. */
  refuse(origin: Origin): void {
    this.#refused.add(keyOf(origin));
  }

  /** The clocks that an edit moved when it was made last. */
  clocksOf(origin: Origin): readonly ClockStep[] {
    const made = this.#everMade.get(keyOf(origin));
    return made?.clocks ?? [];
  }

  /** Says that the world will be opened as it was some time ago: nothing is durable that was made since. */
  rollBack(): void {
    this.#durable = 0;
  }

  /** Compares a world that was opened again, and forgets what a crash took from it. */
  recover(world: Recovered): void {
    const length = this.#lengthOf(world);
    if (length === undefined)
      throw new Error("the world that was opened again is of no moment of its history");
    if (length < this.#durable) {
      throw new Error(`${length} edits are left of ${this.#durable} that were durable`);
    }
    const kept = this.#entries.slice(0, length);
    this.#entries = [];
    this.#voxels = new PlaceMap();
    this.#lastEdits.clear();
    this.#clocks.clear();
    this.#present.clear();
    for (const entry of kept) this.#take(entry);
    this.compare(world.overrides);
  }

  /** Throws unless people's work is exactly what the flat map says, voxel by voxel. */
  compare(overrides: OverrideTree): void {
    for (const [voxel, material] of this.#voxels) {
      const chunk = chunkOfVoxel(this.#shape, voxel);
      const held = overrides.at(...chunk) ?? this.#states.generatedAt(chunk);
      const found = held.get(cellOfVoxel(this.#shape, ...voxel));
      if (found !== material) throw new Error(`voxel [${voxel}] is ${found} where ${material} must be`);
    }
    for (const { box, content } of overrides.pieces()) {
      for (const place of placesLexicographic(box)) {
        const generated = this.#states.generatedAt(place);
        content.forEach((material, index) => {
          const voxel = voxelOfCell(this.#shape, place, index);
          const wanted = this.#voxels.get(...voxel) ?? generated.get(index);
          if (material !== wanted) throw new Error(`voxel [${voxel}] is ${material} where ${wanted} must be`);
        });
      }
    }
  }

  /** The clock that a region has after all edits. */
  clockOf(region: Place): number {
    return this.#clocks.get(...region) ?? 0;
  }

  #take(entry: Entry): void {
    this.#entries.push(entry);
    for (const { voxel, material } of entry.placements) this.#voxels.set(...voxel, material);
    for (const { region, after } of entry.clocks) this.#clocks.set(...region, after);
    if (entry.origin === undefined) return;
    this.#lastEdits.set(entry.origin.clientId, entry.origin.editId);
    this.#present.add(keyOf(entry.origin));
    this.#everMade.set(keyOf(entry.origin), entry);
  }

  #changes(placements: readonly VoxelPlacement[]): boolean {
    const last = new PlaceMap<number>();
    for (const { voxel, material } of placements) last.set(...voxel, material);
    for (const [voxel, material] of last) if (this.#materialAt(voxel) !== material) return true;
    return false;
  }

  #materialAt(voxel: Place): number {
    const known = this.#voxels.get(...voxel);
    if (known !== undefined) return known;
    const chunk = this.#states.generatedAt(chunkOfVoxel(this.#shape, voxel));
    return chunk.get(cellOfVoxel(this.#shape, ...voxel));
  }

  /** After how many edits the history was where the world is; the most, where several would do. */
  #lengthOf(world: Recovered): number | undefined {
    const wrong = new Set<string>();
    const compareClock = (region: Place, clock: number) =>
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

function keyOf({ clientId, editId }: Origin): string {
  return `${clientId}/${editId}`;
}

function mark(set: Set<string>, key: string, isWrong: boolean): void {
  if (isWrong) set.add(key);
  else set.delete(key);
}
