import { type BlockCatalog, isOrthantError, OrthantError } from "@orthant/core";
import { requireBytes } from "@orthant/core/arguments";
import type { Pose } from "../message/entity.ts";
import { DETAIL_BYTES_MAX, GAME_BYTES_MAX } from "../message/limits.ts";
import { DEFAULT_PRECISION, requirePrecision, requireReach } from "../message/precision.ts";
import { clipText } from "../message/sendable.ts";
import type { Wire } from "../message/wire.ts";
import type { Player } from "./account.ts";
import { AnswerQueue } from "./answer-queue.ts";
import { blockFeedsOf } from "./blocks/block-feed.ts";
import { WorkBudget } from "./budget/work-budget.ts";
import type { Disconnect } from "./disconnect.ts";
import { EditQueues } from "./edits/edit-queue.ts";
import { EntityGrid } from "./entities/entity-grid.ts";
import { requireEntityRates, ticksBetween } from "./entities/entity-rates.ts";
import { EntitySources } from "./entities/entity-sources.ts";
import { Placements } from "./entities/placements.ts";
import { OperationDesk } from "./operations/operation-desk.ts";
import type { FrameTotals } from "./outbox.ts";
import { Audiences } from "./regions/audience.ts";
import { RegionCapacity } from "./regions/region-capacity.ts";
import { SharedTick } from "./regions/region-changes.ts";
import { RegionFeed } from "./regions/region-feed.ts";
import { RegionLoader } from "./regions/region-loader.ts";
import { WatchedRegions } from "./regions/watched-regions.ts";
import { WholeRegionSource } from "./regions/whole-region-source.ts";
import type { ServerContext } from "./server-context.ts";
import { ServerSession } from "./server-session.ts";
import { SessionSet, turnsByPlayer } from "./session-set.ts";
import { DEFAULT_SYNC_LIMITS } from "./sync-limits.ts";
import type { SyncServerOptions, TickReport } from "./sync-server-options.ts";

/** A tick that is later than this follows a pause of the process: it was stopped, or had too much to do. */
const PAUSE_MS = 500;
/** Interval at which each session is checked, and sent a heartbeat. */
const VISIT_MS = 1_000;
/** Interval between clean-ups of idle state. */
const CLEANING_MS = 1_000;
/** When clients may join again after the generator of the world changed. */
const JOIN_AGAIN_MS = 100;
/** Length of a slice. Incoming frames wait at most this long, or for one piece of work. */
const SLICE_MS = 4;

/** Shares a world with many clients. Takes bytes and time, emits frames; owns no socket and no timer. */
export class SyncServer {
  readonly #context: ServerContext;
  readonly #sessions: SessionSet<ServerSession>;
  readonly #stopListening: readonly (() => void)[];
  /** Each turn starts with another player. */
  #turnCount = 0;
  #catalog: BlockCatalog | undefined;
  #isSlicePlanned = false;
  readonly #regionCapacity: RegionCapacity<ServerSession>;
  #cleanedMs = 0;
  #tickedMs: number | undefined;
  #shutdown: Disconnect | undefined;

  constructor(options: SyncServerOptions) {
    const { world, time, rules, events } = options;
    const limits = { ...DEFAULT_SYNC_LIMITS, ...options.limits };
    const nowMs = (): number => time.nowMs();
    // One kind of work must not starve the others.
    const workMs = limits.tickWorkMs / 3;
    const slices = options.pause && { ms: SLICE_MS, onOver: () => this.#planSlice() };
    const interestWork = new WorkBudget(workMs, nowMs, slices);
    const regions = new WatchedRegions(interestWork);
    const loadWork = new WorkBudget(workMs, nowMs, slices);
    const sendWork = new WorkBudget(workMs, nowMs);
    const prepareWork = new WorkBudget(workMs, nowMs, slices, sendWork);
    const answerWork = new WorkBudget(workMs, nowMs, slices, sendWork);
    const answers = new AnswerQueue(answerWork, () => this.#planSlice());
    const precision = { ...DEFAULT_PRECISION, ...options.precision };
    requirePrecision(precision);
    if (options.precision !== undefined) requireReach(precision, world.shape, limits.chunkCoordinateMax);
    const { entityRates = {}, tickMs } = options;
    requireEntityRates(entityRates);
    const entities = new EntityGrid({
      shape: world.shape,
      chunkCoordinateMax: limits.chunkCoordinateMax,
      precision,
      ticksBetween: (traits) => ticksBetween(traits, entityRates, tickMs),
    });
    const feed = new RegionFeed(world, regions);
    const editQueues = new EditQueues(
      {
        world,
        events,
        bounds: { world, limits, rules, isReadOnly: options.readOnly === true },
        onFailure: (error) => this.#fail(error),
      },
      options.acknowledge === "durable",
      nowMs,
    );
    this.#context = {
      options,
      world,
      limits,
      precision,
      regions,
      feed,
      sharedTick: new SharedTick(),
      audiences: new Audiences(),
      wholeRegions: new WholeRegionSource({
        world,
        regions,
        feed,
        pieceBytesMax: limits.pieceBytesMax,
        work: prepareWork,
        nowMs,
        onFailure: (error) => events?.onFailure?.(error),
      }),
      loader: new RegionLoader(world, regions, loadWork, nowMs, ({ holdings }) => {
        for (const { watcher } of holdings) answers.add(watcher);
      }),
      answers,
      editQueues,
      operations: new OperationDesk({ ...editQueues.shared, world, events, nowMs }),
      blocksFor: blockFeedsOf(world),
      entities,
      placements: new Placements(nowMs),
      interestWork,
      loadWork,
      sendWork,
      prepareWork,
      totals: { frames: 0, bytes: 0, patches: 0, inFlightBytes: 0 },
      inFlightShare: limits.inFlightBytesMax,
    };
    this.#sessions = new SessionSet(limits);
    this.#regionCapacity = new RegionCapacity(this.#context, this.#sessions);
    const sources = new EntitySources(world, regions, entities);
    this.#stopListening = [
      world.onEdit((clocks) => feed.recordChange(clocks)),
      world.onEntity((event) => sources.receive(event)),
      world.onGenerators?.(() => this.#joinAgain()) ?? (() => undefined),
      world.peers?.onPlayer((event) => sources.receivePlayer(event)) ?? (() => undefined),
    ];
  }

  /** Number of connections, joined or not. */
  get sessionCount(): number {
    return this.#sessions.size;
  }

  /** All connected players. A player with two clients is listed twice. */
  get players(): readonly Player[] {
    return this.#sessions.joined().flatMap(({ player }) => player ?? []);
  }

  /** Number of regions that clients hold: each counted once, and counted once per client. */
  get regionCounts(): { readonly watched: number; readonly held: number } {
    const { regions } = this.#context;
    return { watched: regions.size, held: regions.holdings };
  }

  /** Accepts a connection. Anonymous players of one `network` share a budget. */
  connect(wire: Wire, network?: string): ServerSession {
    const session = new ServerSession(this.#context, this.#sessions, wire, network);
    this.#sessions.add(session);
    if (this.#shutdown !== undefined) session.goodbye(this.#shutdown);
    return session;
  }

  /** Sends all clients what happened since the last tick, without waiting. */
  tick(): void {
    const { options, world, feed, sharedTick, wholeRegions, entities, regions, totals } = this.#context;
    const nowMs = options.time.nowMs();
    const before = { ...totals };
    const work = this.#startWork();
    this.#wakeSessions();
    const sessions = this.#sessions.inTurn(this.#turnCount++);
    const earlierNews = sharedTick.start();
    wholeRegions.startTick();
    this.#context.editQueues.tick();
    this.#shareInFlight();
    this.#excusePause(nowMs);
    for (const session of sessions) session.startTick(nowMs);
    for (const session of this.#sessions.moving.splice(0)) session.move(nowMs);
    // Those who were sent what moved learn that it has stopped.
    for (const audience of earlierNews) audience.startTick(true, true, false);
    this.#applyInterests(sessions, nowMs);
    this.#context.loader.goOn();
    for (const { region, change } of feed.takeChanges(nowMs)) {
      for (const holding of region.holdings) holding.watcher.regionChanged(holding, change);
    }
    entities.takeChanges(regions);
    // Clients that need only changes do not wait while regions are prepared for others.
    const waiting: ServerSession[] = [];
    for (const session of sessions) {
      if (session.isWaiting) waiting.push(session);
      else session.write(nowMs);
    }
    for (const audience of sharedTick.news) audience.send(world.shape.volume, nowMs);
    for (const session of waiting) session.write(nowMs);
    for (const session of sessions) session.rest();
    this.#context.answers.startTick();
    this.#clean(nowMs);
    options.events?.onTick?.(this.#report(before, work, sessions));
  }

  /** Sends the payload of a game message to a player. `full`: none of the player's clients has room for it now. */
  send(playerId: bigint, payload: Uint8Array): "sent" | "full" | "offline" {
    requirePayload(payload);
    const sessions = this.#sessions.ofPlayer(playerId);
    if (sessions.length === 0) return "offline";
    return sessions.filter((session) => session.sendGame(payload)).length > 0 ? "sent" : "full";
  }

  /** Sends the payload of a game message to all clients. Returns the number of those that have room for it. */
  broadcast(payload: Uint8Array): number {
    requirePayload(payload);
    return this.#sessions.joined().filter((session) => session.sendGame(payload)).length;
  }

  /**
   * Sets the pose of a player, whose clients learn it with the reason; without an orientation it stays. Returns false
   * if the player is absent. Throws `ORT_ARGUMENT` for a position outside the world.
   */
  movePlayer(playerId: bigint, pose: Pick<Pose, "position"> & Partial<Pose>, reason: string): boolean {
    const { entities, placements } = this.#context;
    const { position } = pose;
    if (!entities.isInside(position)) {
      throw new OrthantError(
        "ORT_ARGUMENT",
        `position [${position}] is outside the world; chunkCoordinateMax limits it`,
      );
    }
    const number = placements.nextNumber();
    const text = clipText(reason, DETAIL_BYTES_MAX);
    const sessions = this.#sessions.ofPlayer(playerId);
    for (const session of sessions) session.movePlayer(number, pose, text);
    return sessions.length > 0;
  }

  /** Disconnects a player. Returns false if the player was absent. */
  kick(playerId: bigint, detail: string): boolean {
    const sessions = this.#sessions.ofPlayer(playerId);
    for (const session of sessions) session.goodbye({ reason: "kicked", detail });
    return sessions.length > 0;
  }

  /** Disconnects players whose accounts are no longer valid, without waiting for the next tick. */
  checkAccounts(): void {
    for (const session of [...this.#sessions]) session.checkAccount();
  }

  /** Disconnects all clients, accepts no new ones, and waits for pending edits. */
  async shutdown(detail: string, retryAfterMs: number): Promise<void> {
    this.#close({ reason: "shutdown", detail, retryAfterMs });
    this.#context.operations.cancelAll(detail);
    await this.#context.editQueues.whenIdle();
    for (const stop of this.#stopListening) stop();
  }

  /** A client must not be disconnected for what it could not do while this process was paused. */
  #excusePause(nowMs: number): void {
    const pauseMs = nowMs - (this.#tickedMs ?? nowMs) - this.#context.options.tickMs;
    this.#tickedMs = nowMs;
    if (pauseMs < PAUSE_MS) return;
    for (const session of this.#sessions) session.excusePause(pauseMs, nowMs);
  }

  /** Gives each session work of its own once in a while, and all of them when blocks are new. */
  #wakeSessions(): void {
    const { options, world } = this.#context;
    const isNew = world.catalog !== this.#catalog;
    this.#catalog = world.catalog;
    const woken = isNew ? [...this.#sessions] : this.#sessions.visit(options.tickMs / VISIT_MS);
    for (const session of woken) session.wake();
  }

  /** When all clients together have too many bytes in flight, makes those above their share wait. */
  #shareInFlight(): void {
    const { limits, totals } = this.#context;
    const { inFlightBytesMax, inFlightBytesTotalMax } = limits;
    const isTooMuch = totals.inFlightBytes >= inFlightBytesTotalMax;
    const share = isTooMuch ? inFlightBytesTotalMax / this.#sessions.size : inFlightBytesMax;
    this.#context.inFlightShare = Math.min(inFlightBytesMax, share);
  }

  /** Continues unfinished interests, players taking turns, and releases regions of disconnected clients. */
  #applyInterests(sessions: readonly ServerSession[], nowMs: number): void {
    const { regions, interestWork } = this.#context;
    const turns = turnsByPlayer(sessions.filter(({ isApplyingInterest }) => isApplyingInterest));
    const goesOn = (): boolean => turns.length > 0 || regions.leavingCount > 0;
    while (goesOn() && interestWork.hasTime()) {
      // As much is released as is added, so that regions to release do not pile up.
      regions.releaseSome();
      const own = turns.shift() ?? [];
      const [session] = own;
      session?.applyInterest(nowMs);
      if (session?.isApplyingInterest !== true) own.shift();
      if (own.length > 0) turns.push(own);
    }
    this.#regionCapacity.enforce();
  }

  /** Schedules deferrable work of this tick to continue after a pause. */
  #planSlice(): void {
    if (this.#isSlicePlanned) return;
    this.#isSlicePlanned = true;
    this.#context.options.pause?.(() => {
      this.#isSlicePlanned = false;
      this.#workOn();
    });
  }

  #workOn(): void {
    const { options, interestWork, loadWork, prepareWork, loader, wholeRegions, answers } = this.#context;
    const nowMs = options.time.nowMs();
    interestWork.startSlice();
    loadWork.startSlice();
    prepareWork.startSlice();
    this.#applyInterests(this.#sessions.inTurn(this.#turnCount++), nowMs);
    loader.goOn();
    wholeRegions.goOn();
    answers.answer(nowMs);
  }

  #clean(nowMs: number): void {
    if (nowMs - this.#cleanedMs < CLEANING_MS) return;
    this.#cleanedMs = nowMs;
    this.#context.feed.forgetOld(nowMs);
    this.#context.editQueues.clean(nowMs);
    this.#context.operations.clean(nowMs);
    this.#sessions.clean(nowMs);
  }

  /** Begins the work time of this tick. Returns what the previous tick used. */
  #startWork(): Pick<TickReport, "workMs" | "isWorkCut"> {
    const { interestWork, loadWork, sendWork, prepareWork } = this.#context;
    const works = [interestWork, loadWork, sendWork];
    const workMs = works.reduce((sum, { spentMs }) => sum + spentMs, 0);
    const isWorkCut = works.some(({ isCut }) => isCut);
    for (const work of [...works, prepareWork]) work.startTick();
    return { workMs, isWorkCut };
  }

  #report(
    before: FrameTotals,
    work: Pick<TickReport, "workMs" | "isWorkCut">,
    sessions: readonly ServerSession[],
  ): TickReport {
    const { frames, bytes, patches } = this.#context.totals;
    const heldBack = sessions.filter(({ isHeldBack }) => isHeldBack).length;
    return {
      frames: frames - before.frames,
      bytes: bytes - before.bytes,
      patches: patches - before.patches,
      heldBack,
      ...work,
    };
  }

  #fail(error: unknown): void {
    this.#context.options.events?.onFailure?.(error);
    const detail = isOrthantError(error) ? error.code : "the world failed";
    this.#close({ reason: "failure", detail });
  }

  /**
   * Disconnects all clients, because untouched space has another generator: its regions have no clocks by which a client
   * could tell the old ones from the new.
   */
  #joinAgain(): void {
    this.#context.wholeRegions.clear();
    this.#context.feed.clear();
    const detail = "the world has another generator; join again";
    for (const session of [...this.#sessions])
      session.goodbye({ reason: "shutdown", detail, retryAfterMs: JOIN_AGAIN_MS });
  }

  #close(disconnect: Disconnect): void {
    this.#shutdown = disconnect;
    for (const session of [...this.#sessions]) session.goodbye(disconnect);
  }
}

function requirePayload(payload: Uint8Array): void {
  requireBytes("payload", payload);
  if (payload.length <= GAME_BYTES_MAX) return;
  throw new OrthantError("ORT_LIMIT", `a message of ${payload.length} bytes, the limit is ${GAME_BYTES_MAX}`);
}
