import {
  type Clock,
  chunkOfVoxel,
  decode,
  encode,
  type GeneratorRegistry,
  isOrthantError,
  OrthantError,
  type Place,
  PlaceSet,
  regionOf,
  type Timer,
  type VoxelPlacement,
} from "@orthant/core";
import type { Disk } from "@orthant/disk";
import { openLoggedWorld, type World } from "@orthant/world";
import { APPEND_RECORDS_MAX, type Engine, type Subscription } from "../engine/engine.ts";
import type { ShardFolders } from "../folder/shard-folders.ts";
import { ownerAddress } from "../shard/names.ts";
import {
  type EditIntent,
  type IntentOutcome,
  type OwnerAnswer,
  type OwnerQuestion,
  ownerAnswerCodec,
  ownerQuestionCodec,
} from "../shard/owner-message.ts";
import type { ShardMap, ShardSplit } from "../shard/shard-map.ts";
import { answerInhabitants } from "./inhabitant-answers.ts";
import { PlayerDesk } from "./player-desk.ts";
import { answerWishes } from "./region-answers.ts";
import { ShardLog, type ShardLogOptions } from "./shard-log.ts";

/** What an owner is given. */
export interface ShardOwnerOptions {
  readonly engine: Engine;
  readonly folders: ShardFolders;
  readonly clock: Clock;
  readonly random: () => bigint;
  readonly generators: GeneratorRegistry;
  readonly world: string;
  readonly shard: string;
  readonly node: string;
  readonly epoch: number;
  /** Voxels of a chunk. */
  readonly volume: number;
  /** Whether a region belongs to the shard, as the map is now. */
  readonly owns: (region: Place) => boolean;
  /** The shard can not be owned any longer: it is another's, or its disk or journal failed. */
  readonly onEnd: (error: unknown) => void;
  readonly onLost?: (detail: string) => void;
  readonly completeSplit: ShardLogOptions["completeSplit"];
  readonly forgetSplits: ShardLogOptions["forgetSplits"];
  readonly inherited?: ShardLogOptions["inherited"];
  readonly limits?: Partial<OwnerLimits>;
}

/** What may be set of an owner. */
export interface OwnerLimits {
  /** How long after a change a save comes. */
  readonly foldMs: number;
  /** When the journal has so many bytes that no save has, no more edits are taken until one has them. */
  readonly journalBytesMax: number;
  /** So many players are remembered; a new one above that begins at the spawn each time. Rule K33. */
  readonly playersMax: number;
}

/** What an owner is like unless it is said otherwise. */
export const OWNER_LIMITS: OwnerLimits = {
  foldMs: 5_000,
  journalBytesMax: 67_108_864,
  playersMax: 65_536,
};

/** How an owner is doing. */
export interface OwnerReport {
  readonly epoch: number;
  readonly generation: number;
  /** The last record of the journal, and how many records and bytes no save has. */
  readonly last: number;
  readonly unfoldedRecords: number;
  readonly unfoldedBytes: number;
  /** When the last save was made. */
  readonly foldedMs: number;
}

const AWAY: OwnerAnswer = { kind: "away" };
/** For so long whoever let a shard go says so to those who ask; then all have heard of it. */
const FAREWELL_MS = 3_000;
const RETENTION = { newest: 4, hours: 24, days: 30 };

/**
 * The one who makes edits in a shard: a world over the shard's folder, whose log is the shard's journal. Nothing that
 * is not stored there is told to anybody, nor saved.
 */
export class ShardOwner {
  readonly shard: string;
  readonly epoch: number;
  /** The shard's folder. */
  readonly disk: Disk;
  readonly #options: ShardOwnerOptions;
  readonly #limits: OwnerLimits;
  readonly #log: ShardLog;
  readonly #world: World;
  readonly #players: PlayerDesk;
  #responding: Subscription | undefined;
  #foldTimer: Timer | undefined;
  #folding: Promise<unknown> | undefined;
  #foldedMs: number;
  #questions = 0;
  #isClosing = false;
  #isHeld = false;
  #whenIdle: (() => void)[] = [];

  private constructor(options: ShardOwnerOptions, disk: Disk, log: ShardLog, world: World) {
    this.#options = options;
    this.shard = options.shard;
    this.epoch = options.epoch;
    this.disk = disk;
    this.#limits = { ...OWNER_LIMITS, ...options.limits };
    this.#log = log;
    this.#world = world;
    this.#players = new PlayerDesk(world, options.clock, this.#limits.playersMax);
    this.#foldedMs = options.clock.nowMs();
    world.onFailure((error) => this.#end(error));
  }

  /**
   * Takes a shard whose lease is held: its folder, then the end of its journal, then what both have. From then on
   * nobody who owned it before can save or store anything. `ORT_FENCED` when somebody newer has it.
   */
  static async take(options: ShardOwnerOptions): Promise<ShardOwner> {
    const {
      engine,
      clock,
      world,
      shard,
      node,
      epoch,
      volume,
      generators,
      random,
      onLost,
      inherited,
      completeSplit,
      forgetSplits,
    } = options;
    const disk = await options.folders.take(shard, epoch);
    const log = new ShardLog({
      ...{ engine, clock, world, shard, node, epoch, volume: () => volume, completeSplit, forgetSplits },
      requireHeld: () => options.folders.requireHeld(shard, epoch),
      ...(onLost && { onLost }),
      ...(inherited && { inherited }),
    });
    const opened = await openLoggedWorld(disk, log, {
      ...{ clock, random, generators, autosave: false, retention: RETENTION },
    });
    return new ShardOwner(options, disk, log, opened);
  }

  /** Begins to answer. */
  async serve(): Promise<void> {
    const { engine, world } = this.#options;
    const address = ownerAddress(world, this.shard, this.epoch);
    this.#responding = await engine.respond(address, (question) => this.#answer(question));
  }

  get report(): OwnerReport {
    const { records, bytes } = this.#log.unfolded;
    return {
      epoch: this.epoch,
      generation: this.#world.generation,
      last: this.#log.last,
      unfoldedRecords: records,
      unfoldedBytes: bytes,
      foldedMs: this.#foldedMs,
    };
  }

  /** The last record that is stored. */
  get last(): number {
    return this.#log.last;
  }

  /** Saves all that is stored in the journal. */
  async fold(): Promise<void> {
    this.#foldTimer?.cancel();
    this.#foldTimer = undefined;
    this.#players.isUnsaved = false;
    await this.#world.save();
    this.#foldedMs = this.#options.clock.nowMs();
  }

  /** Keeps what the journal has from now on, until the function returned is called. */
  pin(): () => void {
    return this.#log.pin();
  }

  /** Makes cells belong to another shard, whose owner has everything. Nobody may edit meanwhile. */
  split(split: ShardSplit): Promise<void> {
    return this.#log.split(split);
  }

  /** The map is another one: what was given away stays so. */
  mapChanged(map: ShardMap): void {
    // Whoever can not make it so loses the shard, and is told of that as of any other loss.
    this.#log.mapChanged(map).catch(() => undefined);
  }

  /** Lets nobody edit until the function returned is called; resolves when what was asked before is stored. */
  async hold(): Promise<() => void> {
    this.#isHeld = true;
    await this.#whenAnswered();
    await this.#log.whenSafe();
    return () => {
      this.#isHeld = false;
    };
  }

  /** Lets the shard go with all saved, so that the next owner has nothing to make again. */
  async release(): Promise<void> {
    // Most of it now, while edits go on, so that little is left for the moment in which nobody may edit.
    await this.fold();
    this.#isClosing = true;
    await this.#whenAnswered();
    this.#foldTimer?.cancel();
    await this.#world.close();
    // A question that is on its way is still answered: whoever hears nothing waits for seconds before it asks again.
    this.#options.clock.after(FAREWELL_MS, () => this.#responding?.end());
  }

  /** Ends at once: what is not stored is dropped. */
  async stop(error: unknown): Promise<void> {
    this.#isClosing = true;
    this.#responding?.end();
    this.#foldTimer?.cancel();
    this.#log.stop(error);
    // It can not save any more, and says so; its files are let go all the same.
    await this.#world.close().catch(() => undefined);
  }

  async #answer(bytes: Uint8Array): Promise<Uint8Array> {
    const question = decode(ownerQuestionCodec, bytes);
    this.#questions++;
    try {
      return encode(ownerAnswerCodec(this.#options.volume), await this.#answerTo(question));
    } catch (error) {
      if (!isOrthantError(error)) throw error;
      // Whatever failed has ended this owner, or is about to: the next one is asked then.
      return encode(ownerAnswerCodec(this.#options.volume), AWAY);
    } finally {
      this.#questions--;
      // Also who only asked may have caused a record: a new clock.
      this.#foldWhatIsNew();
      if (this.#questions === 0) for (const resolve of this.#whenIdle.splice(0)) resolve();
    }
  }

  async #answerTo(question: OwnerQuestion): Promise<OwnerAnswer> {
    if (this.#isClosing) return AWAY;
    if (question.kind === "edits") return this.#makeAll(question.edits);
    if (question.kind === "players") return this.#players.answer(question);
    const owns = (region: Place): boolean => this.#owns(region);
    if (question.kind === "inhabitants") return answerInhabitants(this.#world, question.regions, owns);
    return answerWishes(this.#world, question.wishes, owns, this.#log);
  }

  async #makeAll(edits: readonly EditIntent[]): Promise<OwnerAnswer> {
    if (this.#isHeld) return AWAY;
    const outcomes: IntentOutcome[] = [];
    for (const edit of edits) outcomes.push(await this.#make(edit));
    await this.#log.whenSafe();
    return { kind: "edits", outcomes };
  }

  async #make({ clientId, editId, placements }: EditIntent): Promise<IntentOutcome> {
    const regions = this.#regionsOf(placements);
    for (const region of regions) if (!this.#owns(region)) return { kind: "elsewhere" };
    const isFull = this.#log.unfolded.bytes > this.#limits.journalBytesMax;
    if (isFull) this.#foldSoon(0);
    if (isFull || regions.size > APPEND_RECORDS_MAX) return { kind: "refused", code: "ORT_LIMIT" };
    try {
      const origin = { clientId, editId };
      const { clocks, repeated } = await this.#world.edit(placements, { origin, wait: "applied" });
      return repeated ? { kind: "repeated" } : { kind: "made", steps: clocks };
    } catch (error) {
      if (this.#world.failure !== undefined || !isOrthantError(error)) throw error;
      return { kind: "refused", code: error.code };
    }
  }

  #owns(region: Place): boolean {
    return this.#options.owns(region) && !this.#log.hasGiven(region);
  }

  #regionsOf(placements: readonly VoxelPlacement[]): PlaceSet {
    const regions = new PlaceSet();
    for (const { voxel } of placements) regions.add(...regionOf(chunkOfVoxel(this.#world.shape, voxel)));
    return regions;
  }

  #foldWhatIsNew(): void {
    const isNew = this.#log.unfolded.records > 0 || this.#players.isUnsaved;
    if (isNew && !this.#isClosing) this.#foldSoon(this.#limits.foldMs);
  }

  #foldSoon(delayMs: number): void {
    if (this.#folding !== undefined || (this.#foldTimer !== undefined && delayMs > 0)) return;
    this.#foldTimer?.cancel();
    this.#foldTimer = this.#options.clock.after(delayMs, () => {
      this.#folding = this.fold()
        // The world tells of the failure itself.
        .catch(() => undefined)
        .finally(() => {
          this.#folding = undefined;
          this.#foldWhatIsNew();
        });
    });
  }

  async #whenAnswered(): Promise<void> {
    while (this.#questions > 0) await new Promise<void>((resolve) => this.#whenIdle.push(resolve));
  }

  #end(error: unknown): void {
    if (this.#isClosing && !isOrthantError(error, "ORT_FENCED")) return;
    this.#responding?.end();
    this.#foldTimer?.cancel();
    this.#options.onEnd(error);
  }
}

/** What an owner that was ended by its node is told. */
export function ended(reason: string): OrthantError {
  return new OrthantError("ORT_CLOSED", reason);
}
