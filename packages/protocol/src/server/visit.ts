import type { ClientMessage, InterestMessage, Resync } from "../message/client-message.ts";
import type { PlayerBudget } from "./budget/player-budget.ts";
import { type Fault, limitFault, malformed } from "./connection/fault.ts";
import { GameQueue } from "./connection/game-queue.ts";
import { type Arrival, type Terms, welcomeFor } from "./connection/handshake.ts";
import type { Intake } from "./connection/intake.ts";
import type { Outbox } from "./connection/outbox.ts";
import type { DecidedEdit, EditQueue } from "./edits/edit-queue.ts";
import { EditResultQueue } from "./edits/edit-result-queue.ts";
import { EntityView } from "./entities/entity-view.ts";
import { Presence } from "./entities/presence.ts";
import { ClientRegions } from "./regions/client-regions.ts";
import type { Holding, Watcher } from "./regions/holding.ts";
import { InterestPace } from "./regions/interest-pace.ts";
import { RegionSender } from "./regions/region-sender.ts";
import type { RegionStep } from "./regions/region-step.ts";
import type { ServerContext } from "./server-context.ts";
import type { Player } from "./sync-server-options.ts";

/** Longest time between two heartbeats. */
const HEARTBEAT_MS = 1_000;

/** A client from its welcome to its goodbye. */
export class Visit implements Watcher {
  readonly clientId: bigint;
  readonly budget: PlayerBudget;
  readonly #context: ServerContext;
  readonly #out: Outbox;
  readonly #intake: Intake;
  readonly #terms: Terms;
  readonly #presence: Presence;
  readonly #regions: ClientRegions;
  readonly #pace: InterestPace;
  readonly #sender: RegionSender;
  readonly #entities = new EntityView();
  readonly #results = new EditResultQueue();
  readonly #game = new GameQueue();
  readonly #queue: EditQueue;
  readonly #onDecided = (decided: DecidedEdit): void => {
    if (decided.result.outcome === "applied") this.#presence.remember();
    this.#results.add(decided);
  };
  #isOver = false;
  #isWelcomeWanted = true;
  #isWelcomed = false;
  #maySend = true;
  /** Since when the client has exceeded its in-flight limit. */
  #fullSinceMs: number | undefined;
  #beatMs: number;
  #beatInterestId = 0;
  #beatComplete = false;

  constructor(
    context: ServerContext,
    out: Outbox,
    intake: Intake,
    { hello, account, terms }: Arrival,
    budget: PlayerBudget,
    nowMs: number,
  ) {
    this.clientId = hello.clientId;
    this.#context = context;
    this.#out = out;
    this.#intake = intake;
    this.#terms = terms;
    this.budget = budget;
    this.#presence = new Presence(context, account, nowMs);
    this.#regions = new ClientRegions(context, this, terms.encoding, budget);
    this.#pace = new InterestPace(context.limits.interestRegionsPerSecond, budget);
    this.#sender = new RegionSender(context, this.#regions, terms.encoding);
    this.#queue = context.editQueues.open(hello.clientId);
    this.#queue.attach(hello.openEditId, account, this.#onDecided);
    this.#beatMs = nowMs;
  }

  get player(): Player {
    return this.#presence.player;
  }

  /** Whether the client gets nothing because it has not acknowledged enough. */
  get isHeldBack(): boolean {
    return !this.#maySend;
  }

  /** Number of regions that the client holds or will hold. */
  get regionCount(): number {
    return this.#regions.size;
  }

  /** True until the client's interest is fully applied. */
  get isLookingElsewhere(): boolean {
    return this.#regions.isChanging;
  }

  /** True while the client's welcome or regions wait to be sent. */
  get isWaiting(): boolean {
    return this.#isWelcomeWanted || this.#sender.isWaiting;
  }

  /** Records an acknowledgement. Returns false if it names something that was never sent. */
  confirm(acknowledged: number, applied: number): boolean {
    return this.#out.acknowledge(acknowledged) && this.#sender.stream.confirm(applied);
  }

  /** Handles a message. Returns why the client must be disconnected, if so. */
  take(message: ClientMessage, nowMs: number): Fault | undefined {
    switch (message.kind) {
      case "hello":
        // The welcome was lost or is on its way. A connection cannot change its client.
        if (message.clientId !== this.clientId) return malformed("another client on the same connection");
        this.#isWelcomeWanted = true;
        return undefined;
      case "interest":
        return this.#takeInterest(message, nowMs);
      case "setVoxels":
        this.#queue.submit(message, this.player, this.budget, nowMs);
        return undefined;
      case "move":
        this.#presence.want(message);
        return undefined;
      case "resync":
        return this.#takeResync(message);
      case "entitiesLost":
        this.#entities.markStale();
        return undefined;
      case "game": {
        const limit = this.#intake.gameMessage(nowMs);
        if (limit !== undefined) return limitFault(limit, this.#context.limits);
        this.#context.options.rules?.onMessage?.(this.player, message.payload);
        return undefined;
      }
    }
  }

  /** Queues a game message. Returns false if there is no room. */
  sendGame(payload: Uint8Array): boolean {
    return this.#game.add(payload);
  }

  regionChanged(holding: Holding, step: RegionStep): void {
    if (!this.#isOver) this.#sender.regionChanged(holding, step);
  }

  entitiesChanged(message: Uint8Array): void {
    if (!this.#isOver) this.#entities.add(message);
  }

  /** Begins a tick. Returns why the client must be disconnected, if so. */
  startTick(nowMs: number): Fault | undefined {
    const { limits } = this.#context;
    this.#presence.tick(nowMs);
    this.#maySend = this.#out.inFlightBytes < this.#context.inFlightShare;
    if (this.#maySend) this.#fullSinceMs = undefined;
    else this.#fullSinceMs ??= nowMs;
    if (this.#fullSinceMs !== undefined && nowMs - this.#fullSinceMs >= limits.slowMs) {
      return limitFault("slowMs", limits, "slow");
    }
    this.#sender.startTick(this.#maySend);
    this.#entities.startTick(this.#maySend);
    return this.#lookElsewhere(nowMs);
  }

  /** Writes and sends the client's messages for this tick. */
  write(nowMs: number): void {
    // Nothing precedes the welcome. When many clients join at once, some have to wait for it.
    if (!this.#isWelcomed && !this.#context.sendWork.hasTime()) return;
    if (this.#maySend) {
      if (this.#isWelcomeWanted) this.#context.sendWork.run(() => this.#writeWelcome());
      const { repairs } = this.#regions;
      if (repairs > 0) this.#regions.releaseRepairs(this.budget.takeResyncRegions(repairs, nowMs));
      this.#sender.write(this.#out);
      this.#results.write(this.#out, this.#regions);
      this.#entities.write(this.#out, this.#context.entities, this.#regions, this.#context.sendWork);
      this.#game.write(this.#out);
    }
    this.#writeHeartbeat(nowMs);
    this.#out.flush();
  }

  /** Ends the visit after the client is gone. */
  end(nowMs: number): void {
    this.#isOver = true;
    this.#regions.clear();
    this.#queue.detach(this.#onDecided);
    this.#presence.end(nowMs);
  }

  /** Applies another part of the interest. Returns why the client must be disconnected, if so. */
  lookFurther(nowMs: number): Fault | undefined {
    const { areaNumber } = this.#regions;
    const broken = this.#context.interestWork.run(() => this.#regions.proceed());
    this.#pace.charge(this.#regions.takeCost(), nowMs);
    if (this.#regions.areaNumber !== areaNumber) this.#entities.markStale();
    return broken && limitFault(broken, this.#context.limits);
  }

  #takeInterest(interest: InterestMessage, nowMs: number): Fault | undefined {
    const { limits } = this.#context;
    const limit = this.#intake.interest(nowMs);
    if (limit !== undefined) return limitFault(limit, limits);
    this.#pace.add(interest);
    return this.#lookElsewhere(nowMs) ?? this.#lookAtOnce(nowMs);
  }

  /** Applies a new interest at once, as time permits. */
  #lookAtOnce(nowMs: number): Fault | undefined {
    const { interestWork } = this.#context;
    while (this.isLookingElsewhere && interestWork.hasTime()) {
      const fault = this.lookFurther(nowMs);
      if (fault !== undefined) return fault;
    }
    return undefined;
  }

  /** Switches to the latest interest when it is due. */
  #lookElsewhere(nowMs: number): Fault | undefined {
    const interest = this.#pace.take(nowMs);
    if (interest === undefined || interest.interestId <= this.#regions.interestId) return undefined;
    const mayOffer = this.#terms.isResumed && interest.interestId === 1;
    const broken = this.#regions.want(interest, mayOffer);
    return broken && limitFault(broken, this.#context.limits);
  }

  #takeResync({ expected, regions }: Resync): Fault | undefined {
    if (expected > this.#sender.stream.next) return malformed(`stream number ${expected} is still to come`);
    const positions = regions.map(({ region }) => region);
    const count = this.#sender.resync(expected, positions, this.#out.acknowledged);
    if (count > 0) this.#context.options.events?.onResync?.(count);
    return undefined;
  }

  #writeWelcome(): void {
    this.#out.write(welcomeFor(this.#terms, this.player, this.#context.options));
    this.#isWelcomeWanted = false;
    this.#isWelcomed = true;
  }

  #writeHeartbeat(nowMs: number): void {
    const { interestId } = this.#regions;
    const complete = interestId > 0 && this.#sender.isComplete;
    const isNews = interestId !== this.#beatInterestId || complete !== this.#beatComplete;
    if (nowMs - this.#beatMs < HEARTBEAT_MS && !(isNews && this.#maySend)) return;
    this.#out.write({ kind: "heartbeat", interestId, complete, sent: this.#sender.stream.sent });
    this.#beatMs = nowMs;
    this.#beatInterestId = interestId;
    this.#beatComplete = complete;
  }
}
