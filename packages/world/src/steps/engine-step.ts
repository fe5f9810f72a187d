import { type Chunk, type ChunkShape, type Light, OrthantError, type Position } from "@orthant/core";
import { requireAtMost } from "@orthant/core/arguments";
import type { IsSameType } from "@orthant/core/chunk";
import { PositionMap } from "@orthant/core/lattice";
import type { WorldState } from "@orthant/core/tree";
import type { BorderEdit } from "../journal/world-log.ts";
import { EDIT_CHUNKS_MAX } from "../options/world-options.ts";
import type { ChunkTicks, LoadedTicks } from "../regions/loaded-ticks.ts";
import type { StepChange } from "./step-change.ts";
import { StepChunk } from "./step-chunk.ts";
import type { StepEntityChanges } from "./step-entity-changes.ts";

/** What a step works on. */
export interface StepWorld {
  /** The count of steps with this one, by which ticks are due. */
  readonly count: number;
  /** The number that systems see. */
  readonly number: number;
  readonly state: WorldState;
  readonly isSameType: IsSameType;
  readonly ticks: LoadedTicks;
  readonly entities: StepEntityChanges;
  /** Returns the active chunks in which something is due, in order. Called once. */
  takeDue(): readonly ChunkTicks[];
  /** Whether a chunk is in memory, and belongs to this part of the world. */
  isLoaded(chunk: Position): boolean;
  /** Whether systems may read and change a chunk, if it is loaded. */
  isInReach(chunk: Position): boolean;
  /** Returns the light of a voxel before the step; `undefined` if something that can change it is out of reach. */
  lightAt(voxel: Position): Light | undefined;
  /** Whether an edit in a chunk of another part of the world can be sent there. */
  maySend(chunk: Position, edit: BorderEdit): boolean;
}

/**
 * One step of a simulation: the world before it, what was edited so far, and the ticks. Its methods are about the voxel at
 * which `moveTo` points, so that several calls find the chunk once.
 */
export class EngineStep {
  readonly #world: StepWorld;
  readonly #extents: Position;
  readonly #chunks = new PositionMap<StepChunk>();
  readonly #changedTicks = new Set<ChunkTicks>();
  /** One of them, which is often the next one, too. */
  #lastChanged: ChunkTicks | undefined;
  readonly #sent: BorderEdit[] = [];
  #due: readonly ChunkTicks[] = [];
  #x = Number.NaN;
  #y = 0;
  #z = 0;
  #w = 0;
  #chunk: StepChunk;
  // The first voxel of the chunk.
  #minX = 0;
  #minY = 0;
  #minZ = 0;
  #minW = 0;
  #index = 0;
  /** Whether edits of other parts of the world are applied, which may be out of the reach of systems. */
  #isBeginning = false;
  #isOver = false;

  constructor(world: StepWorld) {
    this.#world = world;
    this.#extents = world.state.shape.extents;
    this.#chunk = this.#chunkAt(0, 0, 0, 0);
  }

  /** Begins with the edits of other parts of the world. Must be called before all else. */
  begin(arrivals: readonly BorderEdit[]): void {
    this.#isBeginning = true;
    for (const edit of arrivals) this.apply(edit);
    this.#isBeginning = false;
    this.#due = this.#world.takeDue();
  }

  /** The count of steps with this one, by which ticks are due. */
  get count(): number {
    return this.#world.count;
  }

  /** The number that systems see. */
  get number(): number {
    return this.#world.number;
  }

  get shape(): ChunkShape {
    return this.#world.state.shape;
  }

  /** The entities of active regions. */
  get entities(): StepEntityChanges {
    this.#requireRunning();
    return this.#world.entities;
  }

  /** Whether it points at a voxel. */
  isAt(x: number, y: number, z: number, w: number): boolean {
    return x === this.#x && y === this.#y && z === this.#z && w === this.#w;
  }

  /** Points at a voxel, whose coordinates are whole numbers of 32 bits. */
  moveTo(x: number, y: number, z: number, w: number): this {
    if (this.isAt(x, y, z, w)) return this;
    this.#requireRunning();
    // By index, because taking positions apart calls their iterators.
    const extents = this.#extents;
    const ex = extents[0];
    const ey = extents[1];
    const ez = extents[2];
    const ew = extents[3];
    let inX = x - this.#minX;
    let inY = y - this.#minY;
    let inZ = z - this.#minZ;
    let inW = w - this.#minW;
    const isInside =
      inX >= 0 && inX < ex && inY >= 0 && inY < ey && inZ >= 0 && inZ < ez && inW >= 0 && inW < ew;
    if (!isInside) {
      this.#chunk = this.#chunkAt(
        Math.floor(x / ex),
        Math.floor(y / ey),
        Math.floor(z / ez),
        Math.floor(w / ew),
      );
      const chunk = this.#chunk.position;
      this.#minX = chunk[0] * ex;
      this.#minY = chunk[1] * ey;
      this.#minZ = chunk[2] * ez;
      this.#minW = chunk[3] * ew;
      inX = x - this.#minX;
      inY = y - this.#minY;
      inZ = z - this.#minZ;
      inW = w - this.#minW;
    }
    this.#index = inX + ex * (inY + ey * (inZ + ez * inW));
    this.#x = x;
    this.#y = y;
    this.#z = z;
    this.#w = w;
    return this;
  }

  /**
   * Whether the voxel can be read and changed. Outside of active regions and those around them it cannot, whatever is in
   * memory, so that the same steps have the same result.
   */
  get isInReach(): boolean {
    return this.#chunk.before !== undefined && (this.#chunk.isInReach || this.#isBeginning);
  }

  /** The block of the voxel; `undefined` out of reach. */
  get block(): number | undefined {
    return this.isInReach ? this.#chunk.blockAt(this.#index) : undefined;
  }

  /** The data of the voxel, shared; `undefined` if it has none. */
  get data(): Uint8Array | undefined {
    return this.isInReach ? this.#chunk.dataAt(this.#index) : undefined;
  }

  /** The light of the voxel before the step; `undefined` if something that can change it is out of reach. */
  get light(): Light | undefined {
    return this.#world.lightAt(this.#voxel);
  }

  /** Applies an edit of another part of the world. Its ticks count from the step before this one. */
  apply(edit: BorderEdit): void {
    this.moveTo(...edit.voxel);
    if (!this.isInReach) throw new OrthantError("ORT_NOT_HELD", `voxel [${edit.voxel}] is not loaded here`);
    if (!("tick" in edit)) this.#requireRoom("data", this.edit(edit.block, edit.data));
    else if (edit.inSteps === 0) this.cancel(edit.tick);
    else this.#requireRoom("ticks", this.schedule(edit.tick, this.count - 1 + edit.inSteps));
  }

  #requireRoom(what: string, hasRoom: boolean): void {
    if (hasRoom) return;
    throw new OrthantError("ORT_LIMIT", `the chunk of voxel [${this.#voxel}] has no room for more ${what}`);
  }

  /**
   * Sets the block of the voxel, its data or both; `null` removes data. In another part of the world, sends the edit there.
   * Returns false, and does nothing, where nothing is in reach and nothing can be sent, and if the chunk has no room for
   * the data.
   */
  edit(block: number | undefined, data?: Uint8Array | null): boolean {
    const chunk = this.#chunk;
    if (!this.isInReach)
      return this.#send({
        voxel: this.#voxel,
        ...(block !== undefined && { block }),
        ...(data !== undefined && { data }),
      });
    if (data && !chunk.hasRoomFor(this.#index, data)) return false;
    if (block !== undefined) chunk.setBlock(this.#index, block, this.#world.isSameType);
    if (data !== undefined) chunk.setData(this.#index, data ?? undefined);
    return true;
  }

  /**
   * Schedules a tick for the voxel. One that is due earlier stays. Returns false, and does nothing, where an edit would, and
   * if the chunk has no room for more ticks.
   */
  schedule(kind: string, step: number): boolean {
    if (!this.isInReach) return this.#send({ voxel: this.#voxel, tick: kind, inSteps: step - this.count });
    const ticks = this.#ticks();
    const ofKind = ticks.ofKind(kind);
    const known = ofKind.stepOf(this.#index);
    if (known !== undefined && known <= step) return true;
    if (known === undefined && !ticks.hasRoomFor(ofKind)) return false;
    ofKind.replace(this.#index, known, step);
    if (ticks !== this.#lastChanged) this.#changedTicks.add(ticks);
    this.#lastChanged = ticks;
    this.#world.ticks.plan(ticks, step);
    return true;
  }

  /** Removes a tick of the voxel. */
  cancel(kind: string): void {
    if (!this.isInReach) this.#send({ voxel: this.#voxel, tick: kind, inSteps: 0 });
    if (this.dueStepOf(kind) === undefined) return;
    const ticks = this.#ticks();
    ticks.ofKind(kind).set(this.#index, undefined);
    this.#changedTicks.add(ticks);
  }

  /** Returns the step in which a tick of the voxel is due; `undefined` if it is not scheduled. */
  dueStepOf(kind: string): number | undefined {
    if (!this.isInReach) return undefined;
    return this.#world.ticks.find(this.#chunk.position)?.kinds.get(kind)?.stepOf(this.#index);
  }

  /**
   * Takes the ticks of a kind that are due, and calls `visit` with the chunk and the index of each voxel, in the order of
   * chunks and voxels.
   */
  takeDue(kind: string, visit: (chunk: Position, index: number) => void): void {
    this.#requireRunning();
    for (const chunk of this.#due) {
      const taken = chunk.kinds.get(kind)?.take(this.count);
      if (taken === undefined || taken.length === 0) continue;
      this.#changedTicks.add(chunk);
      for (let at = 0; at < taken.length; at++) visit(chunk.position, taken[at] as number);
    }
  }

  /** Ends the step and returns what it changed. Throws `ORT_LIMIT` if it changed more than a save can store. */
  change(): StepChange {
    this.#end();
    const { ticks } = this.#world;
    const entities = this.#world.entities.list();
    const edited = [...this.#chunks.values()].filter(({ isEdited }) => isEdited);
    requireFewChunks(Math.max(edited.length, this.#changedTicks.size));
    for (const chunk of this.#due) if (chunk.isDue(this.count)) ticks.plan(chunk, this.count + 1);
    return {
      step: this.count,
      edit: this.#world.state.setChunks(edited.map((chunk) => [chunk.position, chunk.after() as Chunk])),
      blocksOf: (position) => this.#chunks.get(...position)?.blocks(),
      ticks: [...this.#changedTicks],
      entities,
      sent: this.#sent,
      undo: () => this.undo(),
    };
  }

  /** Ends the step and takes the changes of ticks back. */
  undo(): void {
    this.#end();
    for (const chunk of new Set([...this.#changedTicks, ...this.#due]))
      this.#world.ticks.undo(chunk, this.count - 1);
  }

  #end(): void {
    this.#isOver = true;
    this.#x = Number.NaN;
  }

  #requireRunning(): void {
    if (!this.#isOver) return;
    throw new OrthantError(
      "ORT_ARGUMENT",
      `step ${this.number} is over: a system uses a step only until it returns, and must not wait for anything`,
    );
  }

  get #voxel(): Position {
    return [this.#x, this.#y, this.#z, this.#w];
  }

  /** Sends an edit of the voxel to another part of the world. Returns false if it belongs to none or cannot be sent. */
  #send(edit: BorderEdit): boolean {
    const isSent = this.#world.maySend(this.#chunk.position, edit);
    if (isSent) this.#sent.push(edit);
    return isSent;
  }

  #ticks(): ChunkTicks {
    this.#chunk.ticks ??= this.#world.ticks.open(this.#chunk.position);
    return this.#chunk.ticks;
  }

  #chunkAt(x: number, y: number, z: number, w: number): StepChunk {
    const known = this.#chunks.get(x, y, z, w);
    if (known !== undefined) return known;
    const { state, isLoaded, isInReach } = this.#world;
    const position: Position = [x, y, z, w];
    const reached = isInReach(position);
    const before =
      (reached || this.#isBeginning) && isLoaded(position) ? state.findChunk(x, y, z, w) : undefined;
    const chunk = new StepChunk(position, before, reached);
    this.#chunks.set(x, y, z, w, chunk);
    return chunk;
  }
}

function requireFewChunks(count: number): void {
  requireAtMost(count, EDIT_CHUNKS_MAX, "changed chunks of a step", "spread the changes over several steps");
}
