import type { Chunk, ChunkShape, Position } from "@orthant/core";
import {
  chunkOfVoxel,
  type IsSameType,
  PositionMap,
  voxelIndex,
  voxelOfIndex,
  type WorldState,
} from "@orthant/core/engine";
import type { StepChange } from "../edit/world-editor.ts";
import { StepChunk } from "./step-chunk.ts";
import type { ChunkTicks, TickStore } from "./tick-store.ts";

/** What a step works on. */
interface StepWorld {
  readonly number: number;
  readonly state: WorldState;
  readonly isSameType: IsSameType;
  readonly ticks: TickStore;
  /** Active chunks in which something is due, in order. */
  readonly due: readonly ChunkTicks[];
  isLoaded(chunk: Position): boolean;
}

/** One step of a simulation: the world before it, what was edited so far, and the ticks. */
export class EngineStep {
  readonly #world: StepWorld;
  readonly #chunks = new PositionMap<StepChunk>();
  readonly #changedTicks = new Set<ChunkTicks>();
  /** The voxel that was used last, because most calls are about it or one near it. */
  #voxel: Position | undefined;
  #chunk: StepChunk | undefined;
  #index = 0;

  constructor(world: StepWorld) {
    this.#world = world;
  }

  /** The number of the step, from 1 on. */
  get number(): number {
    return this.#world.number;
  }

  get shape(): ChunkShape {
    return this.#world.state.shape;
  }

  /** Returns the block of a voxel; `undefined` where nothing is loaded. */
  blockAt(voxel: Position): number | undefined {
    return this.#locate(voxel).blockAt(this.#index);
  }

  /** Returns the data of a voxel, shared; `undefined` if it has none. */
  dataAt(voxel: Position): Uint8Array | undefined {
    return this.#locate(voxel).dataAt(this.#index);
  }

  /**
   * Sets the block of a voxel, its data or both; `null` removes data. Returns false, and does nothing, where nothing is
   * loaded.
   */
  edit(voxel: Position, block: number | undefined, data?: Uint8Array | null): boolean {
    const chunk = this.#locate(voxel);
    if (chunk.before === undefined) return false;
    if (block !== undefined) chunk.setBlock(this.#index, block, this.#world.isSameType);
    if (data !== undefined) chunk.setData(this.#index, data ?? undefined);
    return true;
  }

  /** Takes the ticks of a kind that are due, and calls `visit` with each voxel, in the order of chunks and voxels. */
  takeDue(kind: string, visit: (voxel: Position) => void): void {
    for (const chunk of this.#world.due) {
      const taken = chunk.kinds.get(kind)?.take(this.number) ?? [];
      if (taken.length > 0) this.#changedTicks.add(chunk);
      for (const index of taken) visit(voxelOfIndex(this.shape, chunk.position, index));
    }
  }

  /** Schedules a tick. One that is due earlier stays. */
  schedule(voxel: Position, kind: string, step: number): void {
    const ticks = this.#ticksAt(voxel);
    const ofKind = ticks.ofKind(kind);
    const known = ofKind.steps.get(this.#index);
    if (known !== undefined && known <= step) return;
    ofKind.set(this.#index, step);
    this.#changedTicks.add(ticks);
    this.#world.ticks.plan(ticks, step);
  }

  /** Removes a tick that is scheduled. */
  cancel(voxel: Position, kind: string): void {
    const ticks = this.#ticksAt(voxel);
    ticks.ofKind(kind).set(this.#index, undefined);
    this.#changedTicks.add(ticks);
  }

  /** Returns the step in which a tick is due; `undefined` if it is not scheduled. */
  dueStepOf(voxel: Position, kind: string): number | undefined {
    const { position } = this.#locate(voxel);
    return this.#world.ticks.find(position)?.kinds.get(kind)?.steps.get(this.#index);
  }

  /** Returns what the step changed. Throws `ORT_LIMIT` if a chunk has too many ticks. */
  change(): StepChange {
    for (const chunk of this.#changedTicks) chunk.requireStorable();
    const edited = [...this.#chunks.values()].filter(({ isEdited }) => isEdited);
    return {
      step: this.number,
      edit: this.#world.state.setChunks(edited.map((chunk) => [chunk.position, chunk.after() as Chunk])),
      blocksOf: (position) => this.#chunks.get(...position)?.blocks(),
      ticks: [...this.#changedTicks],
    };
  }

  /** Takes the changes of ticks back. */
  undo(): void {
    for (const chunk of new Set([...this.#changedTicks, ...this.#world.due]))
      this.#world.ticks.undo(chunk, this.number - 1);
  }

  #ticksAt(voxel: Position): ChunkTicks {
    const chunk = this.#locate(voxel);
    chunk.ticks ??= this.#world.ticks.open(chunk.position);
    return chunk.ticks;
  }

  /** Finds the chunk of a voxel, and the voxel's index in it. */
  #locate(voxel: Position): StepChunk {
    const last = this.#voxel;
    const isSame =
      last !== undefined &&
      last[0] === voxel[0] &&
      last[1] === voxel[1] &&
      last[2] === voxel[2] &&
      last[3] === voxel[3];
    if (isSame && this.#chunk !== undefined) return this.#chunk;
    this.#voxel = voxel;
    this.#index = voxelIndex(this.shape, ...voxel);
    const position = chunkOfVoxel(this.shape, voxel);
    let chunk = this.#chunks.get(...position);
    if (chunk === undefined) {
      const { state, isLoaded } = this.#world;
      chunk = new StepChunk(position, isLoaded(position) ? state.findChunk(...position) : undefined);
      this.#chunks.set(...position, chunk);
    }
    this.#chunk = chunk;
    return chunk;
  }
}
