import { isOrthantError, OrthantError } from "@orthant/core";
import { decode, encode } from "@orthant/core/bytes";
import type { Disk } from "@orthant/disk";
import { openLoggedWorldEngine, type WorldEngine } from "@orthant/world/engine";
import type { Subscription } from "../backbone/backbone.ts";
import { within } from "../backbone/retries.ts";
import { Crossings } from "../changes/crossings.ts";
import { OWNER_LIMITS, OwnerGate, type ShardOwnerOptions, ShardSaver } from "../changes/owner-context.ts";
import { ShardEdits } from "../changes/shard-edits.ts";
import { ShardEntities } from "../changes/shard-entities.ts";
import { ShardSteps } from "../changes/shard-steps.ts";
import { isOutside } from "../journal/journal-changes.ts";
import { replaceSealedJournal } from "../journal/sealed-journal.ts";
import { ShardLog } from "../journal/shard-log.ts";
import { ownerAddress, transferAddress } from "../shard/names.ts";
import {
  type OwnerAnswer,
  type OwnerRequest,
  ownerAnswerCodec,
  ownerRequestCodec,
} from "../shard/owner-messages.ts";
import type { ShardMap, ShardSplit } from "../shard/shard-map.ts";
import { stepAnswerCodec, transferAnswerCodec, transferRequestCodec } from "../shard/transfer-messages.ts";
import { answerEntities, answerRegions } from "./answers.ts";
import { PlayerPositions } from "./player-positions.ts";

const AWAY: OwnerAnswer = { kind: "away" };
/** Time for which an owner keeps answering `away` after it released a shard, until all gateways know. */
const RELEASED_MS = 3_000;
/** Time for which the edits of a shard may wait for its last save before the next owner replays them instead. */
const CLOSE_MS_MAX = 30_000;
const RETENTION = { newest: 4, hours: 24, days: 30 };

/**
 * Applies the edits in a shard. Wraps a world over the shard's folder whose log is the shard's journal. It
 * sends and saves nothing that the journal has not stored.
 */
export class ShardOwner {
  readonly shard: string;
  readonly term: number;
  /** The shard's folder. */
  readonly disk: Disk;
  readonly entities: ShardEntities;
  readonly steps: ShardSteps;
  readonly #options: ShardOwnerOptions;
  readonly #log: ShardLog;
  readonly #world: WorldEngine;
  readonly #gate: OwnerGate;
  readonly #saver: ShardSaver;
  readonly #players: PlayerPositions;
  readonly #edits: ShardEdits;
  readonly #crossings: Crossings;
  readonly #responding: Subscription[] = [];

  private constructor(options: ShardOwnerOptions, disk: Disk, log: ShardLog, world: WorldEngine) {
    this.shard = options.shard;
    this.term = options.term;
    this.disk = disk;
    this.#options = options;
    this.#log = log;
    this.#world = world;
    this.#gate = new OwnerGate(options.shard);
    this.#saver = new ShardSaver(options, world, log, this.#gate);
    const { playersMax } = { ...OWNER_LIMITS, ...options.limits };
    this.#players = new PlayerPositions(world, options.time, playersMax, () => this.#saver.unrecorded());
    const context = { options, world, log, gate: this.#gate, saver: this.#saver };
    this.#edits = new ShardEdits(context);
    this.#crossings = new Crossings(context);
    this.entities = new ShardEntities(context, this.#crossings);
    this.steps = new ShardSteps(context, this.#crossings);
    world.onFailure((error) => this.#end(error));
  }

  /**
   * Claims a shard whose lease this node holds: first its folder, then the end of its journal, then the
   * content of both. From then on no earlier owner can save or store anything. Throws `ORT_FENCED` if there
   * is a newer owner.
   */
  static async claim(options: ShardOwnerOptions): Promise<ShardOwner> {
    const { folders, shard, term, time, random, generators } = options;
    const disk = await folders.claim(shard, term);
    const { clientsMax } = { ...OWNER_LIMITS, ...options.limits };
    const settings = { time, random, generators, autosave: false, retention: RETENTION, clientsMax };
    const open = (log: ShardLog): Promise<WorldEngine> => openLoggedWorldEngine(disk, log, settings);
    // A new shard's journal has nothing that its copy lacks.
    if (options.inherited === undefined) await replaceSealedJournal(options, open);
    const log = new ShardLog(options);
    return new ShardOwner(options, disk, log, await open(log));
  }

  /** Starts to answer requests. */
  async serve(): Promise<void> {
    const { backbone, world } = this.#options;
    const responders = [
      [ownerAddress(world, this.shard, this.term), (request: Uint8Array) => this.#answer(request)],
      [transferAddress(world, this.shard, this.term), (request: Uint8Array) => this.#receive(request)],
    ] as const;
    // An earlier attempt may have failed at the second one.
    for (const [address, answer] of responders.slice(this.#responding.length))
      this.#responding.push(await backbone.respond(address, answer));
    // An earlier owner may have left entities in the outbox.
    this.#crossings.start();
    // An earlier owner may have left a journal in which no edit fits any more.
    this.#saver.hasRoom();
  }

  get report(): OwnerReport {
    const { records, bytes } = this.#log.unsaved;
    return {
      term: this.term,
      generation: this.#world.generation,
      last: this.#log.last,
      unsavedRecords: records,
      unsavedBytes: bytes,
      checkpointedMs: this.#saver.savedMs,
      saveFailure: this.#saver.failure,
      leavingEntities: this.#log.border.entities.outbox.size,
      leavingEdits: this.#log.border.edits.outbox.size,
      isPaused: this.#gate.isPaused,
    };
  }

  /** Sequence of the last stored record. */
  get last(): number {
    return this.#log.last;
  }

  /** Why it can store nothing more; `undefined` while it can. */
  get failure(): unknown {
    return this.#world.failure;
  }

  /**
   * Saves everything that the journal has stored. Throws if the disk refuses it; the owner then keeps the shard and
   * tries again, and edits go on into the journal.
   */
  checkpoint(): Promise<void> {
    return this.#saver.save();
  }

  /** Keeps all later journal records until the returned function is called. */
  pin(): () => void {
    return this.#log.pin();
  }

  /**
   * Gives sectors to another shard, whose owner already has their content, with its entities. The caller must pause
   * edits meanwhile.
   */
  async split(split: ShardSplit): Promise<void> {
    const stays = isOutside(split, this.#world.shape);
    await this.#world.entities.loadAll();
    // In the same step in which the record is written, which implies it. If the split fails, this owner ends.
    this.#world.entities.drop((entity) => !stays(entity));
    this.#saver.unrecorded();
    await this.#log.split(split);
    this.#saver.plan();
  }

  /** Handles a new map. Sectors that were split off stay so, whatever the map says. */
  mapChanged(map: ShardMap): void {
    // On failure the shard is lost, and `onEnd` reports that like any other loss.
    this.#log.mapChanged(map).catch(() => undefined);
    // On failure the next edit tries again.
    this.#edits.takeBlocks().then(
      () => this.#saver.plan(),
      () => undefined,
    );
  }

  /**
   * Stops accepting edits and making steps until the returned function is called. Resolves when all earlier ones are
   * stored, and throws `ORT_TIMEOUT` if that takes longer than `msMax`.
   */
  async pauseEdits(msMax: number): Promise<() => void> {
    this.#gate.pause();
    const release = (): void => this.#gate.resume();
    try {
      const pausing = this.#gate.whenIdle().then(() => this.#log.whenDurable());
      await within(this.#options.time, msMax, pausing, () => this.#late("store its edits", msMax));
      return release;
    } catch (error) {
      release();
      throw error;
    }
  }

  /** Releases the shard with everything saved, so that the next owner has nothing to replay. */
  async release(): Promise<void> {
    this.#gate.close();
    this.#crossings.end();
    this.steps.end();
    const closing = this.#gate.whenIdle().then(() => {
      this.#saver.cancel();
      return this.#world.close();
    });
    await within(this.#options.time, CLOSE_MS_MAX, closing, () => this.#late("save", CLOSE_MS_MAX));
    // Keeps answering, because a gateway that gets no answer waits seconds before it asks again.
    this.#options.time.after(RELEASED_MS, () => this.#endResponding());
  }

  /** Ends at once and drops what is not stored. */
  async stop(error: unknown): Promise<void> {
    this.#gate.close();
    this.#crossings.end();
    this.steps.end();
    this.#endResponding();
    this.#saver.cancel();
    this.#log.stop(error);
    // A save that this attempts may fail; the world closes its files in any case.
    await this.#world.close().catch(() => undefined);
  }

  async #answer(bytes: Uint8Array): Promise<Uint8Array> {
    const request = decode(ownerRequestCodec, bytes);
    const codec = ownerAnswerCodec(this.#world.shape.volume);
    // After a failure, which has ended this owner or is about to, the gateway asks the next one.
    return encode(codec, await this.#orElse(AWAY, () => this.#gate.working(() => this.#answerTo(request))));
  }

  /** Takes entities and edits over from another shard. */
  async #receive(bytes: Uint8Array): Promise<Uint8Array> {
    const request = decode(transferRequestCodec, bytes);
    if (request.kind === "step") return encode(stepAnswerCodec, this.steps.state);
    const outcomes = await this.#orElse([], async () => {
      if (this.#gate.isClosed || this.#gate.isPaused) return [];
      // A split or a release waits for the step that applies edits, but not for the answer.
      if (request.kind === "edits") return this.steps.receive(request);
      return this.#gate.working(() => this.entities.receive(request));
    });
    return encode(transferAnswerCodec, outcomes);
  }

  /** Returns the answer to a request, or `other` if it fails. */
  async #orElse<Answer>(other: Answer, answer: () => Promise<Answer>): Promise<Answer> {
    try {
      return await answer();
    } catch (error) {
      if (!isOrthantError(error)) throw error;
      return other;
    } finally {
      // Even a request for regions may have stored a record with a new clock.
      this.#saver.plan();
    }
  }

  async #answerTo(request: OwnerRequest): Promise<OwnerAnswer> {
    if (this.#gate.isClosed) return AWAY;
    if (request.kind === "edits") return this.#gate.isPaused ? AWAY : this.#edits.applyAll(request.edits);
    if (request.kind === "players") return this.#players.answer(request);
    this.steps.watched.add(request.regions);
    if (request.kind === "entities") return answerEntities(this.#world, request.regions, this.#log);
    return answerRegions(this.#world, request.regions, this.#log);
  }

  #endResponding(): void {
    for (const subscription of this.#responding) subscription.end();
  }

  #late(doing: string, ms: number): OrthantError {
    return new OrthantError("ORT_TIMEOUT", `shard ${this.shard} did not ${doing} within ${ms} ms`);
  }

  #end(error: unknown): void {
    if (this.#gate.isClosed && !isOrthantError(error, "ORT_FENCED")) return;
    this.#crossings.end();
    this.steps.end();
    this.#endResponding();
    this.#saver.cancel();
    this.#options.onEnd?.(error);
  }
}

/** State of an owner. */
export interface OwnerReport {
  readonly term: number;
  readonly generation: number;
  /** Sequence of the journal's last record, and the records and bytes that no save contains. */
  readonly last: number;
  readonly unsavedRecords: number;
  readonly unsavedBytes: number;
  /** Time of the last save. */
  readonly checkpointedMs: number;
  /** Why the last save failed; `undefined` if it succeeded. The owner saves again at the next interval. */
  readonly saveFailure: unknown;
  /** Entities that left for other shards and are not known to have arrived there. */
  readonly leavingEntities: number;
  /** Edits of steps for regions of other shards, by step and region, that are not known to be applied there. */
  readonly leavingEdits: number;
  /** True while edits wait for a split. */
  readonly isPaused: boolean;
}
