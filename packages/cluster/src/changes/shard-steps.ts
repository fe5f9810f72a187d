import {
  type Box,
  type ChunkShape,
  type DataCodec,
  type Dimensions,
  isOrthantError,
  OrthantError,
  type Position,
  type TimeSource,
} from "@orthant/core";
import { Axes, boxAt, boxBetween, getOrAdd, positionFrom } from "@orthant/core/lattice";
import { sleep } from "@orthant/core/time";
import { SerialQueue } from "@orthant/disk/files";
import type { Simulation, SimulationOptions } from "@orthant/world";
import { type BorderEdit, type EngineSteps, EVERYTHING_LOADED, simulate } from "@orthant/world/engine";
import type { TransferOutbox } from "../journal/border-state.ts";
import { STEP_LEAVING_MAX } from "../journal/step-entry.ts";
import { borderEditBytes, type EditTransfer, STEP_TRANSFERS_MAX } from "../shard/border-edits.ts";
import { nameOfPosition, sectorOfRegion, voxelsOfSectors } from "../shard/sectors.ts";
import type { EditTransferRequest, StepAnswer, TransferOutcome } from "../shard/transfer-messages.ts";
import { type Arrival, Arrivals } from "./arrivals.ts";
import type { Crossings } from "./crossings.ts";
import { NeighbourSteps } from "./neighbour-steps.ts";
import type { OwnerContext } from "./owner-context.ts";
import { newEntityId } from "./shard-entities.ts";

/** Delay before the next look whether the journal and the outbox have room for a step. */
const FULL_MS = 200;
/** Delay before the next look whether a neighbour has caught up. */
const AHEAD_MS = 50;
/** Time, and number of intervals between steps, without a step after which a shard makes none for its neighbours. */
const IDLE_MS = 10_000;
const IDLE_INTERVALS = 3;
const STEP_MS = 50;

/** Simulates a shard. Its steps are stored one after the other, each as a whole. Rules K64 to K68. */
export class ShardSteps {
  /** What players look at. */
  readonly watched: WatchedSectors;
  readonly #context: OwnerContext;
  readonly #crossings: Crossings;
  readonly #neighbours: NeighbourSteps;
  readonly #arrivals: Arrivals;
  readonly #steps: EngineSteps;
  /** Steps are made one after the other, also those without systems. */
  readonly #queue = new SerialQueue();
  #simulation: { readonly isPaused: boolean; stop(): Promise<void> } | undefined;
  #isApplying = false;
  #isEnded = false;
  /** Time without a step after which neighbours no longer wait, and the time of the last step. */
  #idleMs = IDLE_MS;
  #steppedMs = 0;

  constructor(context: OwnerContext, crossings: Crossings) {
    const { world, log, options } = context;
    const { maps, random, time } = options;
    this.#context = context;
    this.#crossings = crossings;
    this.#neighbours = new NeighbourSteps(options);
    this.watched = new WatchedSectors(world.shape, time);
    this.#arrivals = new Arrivals(context);
    const capacity = new OutboxCapacity(log.border.edits.outbox, (region) => maps.shardOf(region));
    this.#steps = world.shardSteps({
      owns: (region) => log.owns(region),
      get splitCount() {
        return log.splitCount;
      },
      newEntityId: () => newEntityId(random),
      activeBoxes: () => this.watched.boxes(),
      during: (make) => this.#during(make),
      arrivals: () => {
        capacity.begin();
        return this.#arrivals.begin();
      },
      maySend: (region, edit) => capacity.take(region, edit),
    });
  }

  /** The last step that was made, and whether steps are made now. */
  get state(): StepAnswer {
    const { world, options } = this.#context;
    const isIdle = Math.abs(options.time.nowMs() - this.#steppedMs) > this.#idleMs;
    return { step: world.steps.last, isStepping: this.#simulation?.isPaused === false && !isIdle };
  }

  /** Starts to simulate the shard. */
  simulate<D extends Dimensions>(options: SimulationOptions<D>, codec: DataCodec): Simulation<D> {
    const { world } = this.#context;
    const { onError } = options;
    const simulation = simulate(
      world,
      new Axes<D>(world.shape),
      codec,
      {
        ...options,
        onError: (error, system) => {
          // Whatever was read or made when the shard was lost is of no interest.
          if (!this.#isEnded && !isOrthantError(error, "ORT_CLOSED")) onError?.(error, system);
        },
      },
      this.#steps,
    );
    this.#simulation = simulation;
    this.#idleMs = Math.max(IDLE_MS, IDLE_INTERVALS * (options.stepMs ?? STEP_MS));
    this.#steppedMs = this.#context.options.time.nowMs();
    this.#neighbours.start();
    return simulation;
  }

  /** Has the next step apply edits of another shard. Resolves when it is stored, or after a while. */
  async receive(request: EditTransferRequest): Promise<readonly TransferOutcome[]> {
    this.#arrivals.add(request);
    if (!this.state.isStepping) void this.#applyWaiting();
    return this.#arrivals.whenDone(request);
  }

  /** Makes no more steps. */
  end(): void {
    this.#isEnded = true;
    this.#arrivals.end();
    this.#neighbours.end();
    void this.#simulation?.stop();
  }

  async #during(make: () => Promise<unknown>): Promise<void> {
    const { options, world } = this.#context;
    const { shard, time } = options;
    try {
      await this.#whenReady();
      while (this.#neighbours.mustWait(world.steps.last + 1)) {
        this.#steppedMs = time.nowMs();
        await sleep(time, AHEAD_MS);
        await this.#whenReady();
      }
      await this.#inTurn(() => {
        world.steps.skipTo(this.#neighbours.skipTo(world.steps.last));
        return this.#makeWithArrivals(make);
      });
      this.#steppedMs = time.nowMs();
    } catch (error) {
      if (!this.#isLost) throw error;
      throw new OrthantError("ORT_CLOSED", `shard ${shard} is no longer owned here`, {}, { cause: error });
    }
  }

  /** Applies the edits that wait, in steps without systems, because this node does not simulate the shard. */
  async #applyWaiting(): Promise<void> {
    if (this.#isApplying) return;
    this.#isApplying = true;
    try {
      while (this.#arrivals.isWaiting && !this.state.isStepping) {
        await this.#whenReady();
        const isProgress = await this.#inTurn(() => this.#applyChosen());
        if (!isProgress) await sleep(this.#context.options.time, FULL_MS);
      }
    } catch (error) {
      // The senders try again, perhaps with another owner.
      if (!isOrthantError(error)) throw error;
      const { shard, events } = this.#context.options;
      if (!this.#isLost) events?.onRefusedEdits?.(shard, error);
    } finally {
      this.#isApplying = false;
    }
  }

  async #whenReady(): Promise<void> {
    const { gate, options } = this.#context;
    for (;;) {
      await gate.whenOpen();
      if (this.#isReady) return;
      await sleep(options.time, FULL_MS);
    }
  }

  /** Makes steps, which begin with edits of other shards. Resolves when they are stored. */
  async #inTurn<Result>(make: () => Promise<Result>): Promise<Result> {
    const { log, gate, saver } = this.#context;
    const result = await gate.working(() =>
      this.#queue.run(async () => {
        const release = await this.#arrivals.choose();
        try {
          return await make();
        } finally {
          this.#arrivals.clear();
          release();
          // The next step begins when this one is stored, so that steps never pile up.
          await log.whenDurable();
          this.#arrivals.settle();
        }
      }),
    );
    saver.stored();
    if (log.border.isSending) this.#crossings.start();
    return result;
  }

  async #makeWithArrivals(make: () => Promise<unknown>): Promise<void> {
    try {
      await make();
    } catch (error) {
      const { applied } = this.#arrivals;
      if (applied.length === 0 || this.#isLost) throw error;
      // Both may be too much together, or some edits of other shards cannot be applied at all.
      await this.#applyAlone(applied);
      this.#arrivals.clear();
      await make();
    }
  }

  /** Applies the edits that were chosen. Returns false if there are none. */
  async #applyChosen(): Promise<boolean> {
    const { chosen } = this.#arrivals;
    if (chosen.length > 0) await this.#applyAlone(chosen);
    return chosen.length > 0;
  }

  /** Applies edits of other shards in a step without systems. Those that cannot be applied are reported. */
  async #applyAlone(arrivals: readonly Arrival[]): Promise<void> {
    const make = async (): Promise<void> => {
      this.#arrivals.chooseOnly(arrivals);
      await this.#steps.make(EVERYTHING_LOADED, () => undefined);
    };
    try {
      await make();
    } catch (error) {
      if (this.#isLost) throw error;
      const [first] = arrivals;
      if (first !== undefined && arrivals.length === 1) {
        if (first.isRefused) throw error;
        this.#arrivals.refuse(first, error);
        return make();
      }
      for (const one of arrivals) await this.#applyAlone([one]);
    }
  }

  /** Whether the shard is no longer owned here. */
  get #isLost(): boolean {
    return this.#isEnded || this.#context.world.failure !== undefined;
  }

  get #isReady(): boolean {
    const { log, gate, saver } = this.#context;
    return !gate.isPaused && saver.hasRoom() && log.border.entities.outbox.size <= STEP_LEAVING_MAX;
  }
}

/** Time after which a sector is no longer watched. Gateways ask about what their players look at every 5 seconds. */
const WATCHED_MS = 15_000;
const SECTORS_MAX = 1_024;

/** The sectors of a shard that players look at, as far as the requests of gateways show it. Rule K65. */
class WatchedSectors {
  readonly #shape: ChunkShape;
  readonly #time: TimeSource;
  readonly #sectors = new Map<string, { readonly box: Box; ms: number }>();

  constructor(shape: ChunkShape, time: TimeSource) {
    this.#shape = shape;
    this.#time = time;
  }

  /** Notes that a gateway asked about regions. */
  add(regions: readonly { readonly region: Position }[]): void {
    const ms = this.#time.nowMs();
    for (const { region } of regions) {
      const sector = sectorOfRegion(region);
      const name = nameOfPosition(sector);
      const known = this.#sectors.get(name);
      if (known !== undefined) known.ms = ms;
      else if (this.#sectors.size < SECTORS_MAX) this.#sectors.set(name, { box: this.#boxOf(sector), ms });
    }
  }

  /** Returns the voxels of the sectors that are watched now. */
  boxes(): readonly Box[] {
    const nowMs = this.#time.nowMs();
    for (const [name, { ms }] of this.#sectors)
      if (Math.abs(nowMs - ms) > WATCHED_MS) this.#sectors.delete(name);
    return Array.from(this.#sectors.values(), ({ box }) => box);
  }

  /** Along axes that the world lacks, a sector has one voxel. */
  #boxOf(sector: Position): Box {
    const { min, max } = voxelsOfSectors(this.#shape, boxAt(sector));
    const { extents } = this.#shape;
    return boxBetween(
      positionFrom((axis) => (extents[axis] > 1 ? min[axis] : 0)),
      positionFrom((axis) => (extents[axis] > 1 ? max[axis] : 1)),
    );
  }
}

interface Used {
  transfers: number;
  bytes: number;
}

/** Transfers of edits, and bytes of them, that may wait for one shard. */
const SHARD_TRANSFERS_MAX = 1_024;
const SHARD_BYTES_MAX = 1_048_576;
/** Bytes of edits that a step may send, and regions to which it sends them. Each may need more than one transfer. */
const STEP_BYTES_MAX = 262_144;
const STEP_REGIONS_MAX: number = STEP_TRANSFERS_MAX / 2;

/**
 * Limits the edits that a step sends to other shards. A shard that takes none uses up only its own part, and then edits of it
 * are refused; steps go on. Rule K66.
 */
class OutboxCapacity {
  readonly #outbox: TransferOutbox<EditTransfer>;
  readonly #shardOf: (region: Position) => string;
  /** What waits for each shard; counted when it is first needed in a step. */
  #waiting: Map<string, Used> | undefined;
  #regions = new Map<string, string>();
  #bytes = 0;

  constructor(outbox: TransferOutbox<EditTransfer>, shardOf: (region: Position) => string) {
    this.#outbox = outbox;
    this.#shardOf = shardOf;
  }

  /** Begins a step. */
  begin(): void {
    this.#waiting = undefined;
    this.#regions = new Map();
    this.#bytes = 0;
  }

  /** Counts an edit. Returns false, and counts nothing, if it exceeds a limit. */
  take(region: Position, edit: BorderEdit): boolean {
    const bytes = borderEditBytes(edit);
    if (this.#bytes + bytes > STEP_BYTES_MAX) return false;
    const name = nameOfPosition(region);
    const known = this.#regions.get(name);
    if (known === undefined && this.#regions.size >= STEP_REGIONS_MAX) return false;
    const shard = known ?? this.#shardOf(region);
    const used = this.#usedBy(shard);
    const added = known === undefined ? 1 : 0;
    if (used.transfers + added > SHARD_TRANSFERS_MAX || used.bytes + bytes > SHARD_BYTES_MAX) return false;
    this.#regions.set(name, shard);
    used.transfers += added;
    used.bytes += bytes;
    this.#bytes += bytes;
    return true;
  }

  #usedBy(shard: string): Used {
    this.#waiting ??= this.#count();
    return getOrAdd(this.#waiting, shard, () => ({ transfers: 0, bytes: 0 }));
  }

  #count(): Map<string, Used> {
    const byShard = new Map<string, Used>();
    for (const { transfer, bytes } of this.#outbox.inOrder()) {
      const shard = this.#shardOf(transfer.region);
      const used = byShard.get(shard) ?? { transfers: 0, bytes: 0 };
      byShard.set(shard, { transfers: used.transfers + 1, bytes: used.bytes + bytes });
    }
    return byShard;
  }
}
