import type { Position } from "@orthant/core";
import type { ClientFrame, ClientMessage, Hello } from "../message/client-message.ts";
import type { Pose } from "../message/entity.ts";
import { DETAIL_BYTES_MAX } from "../message/limits.ts";
import type { CancelOperation, OperationMessage } from "../message/operation-message.ts";
import { clipText } from "../message/sendable.ts";
import type { Wire } from "../message/wire.ts";
import type { Account, Player } from "./account.ts";
import type { PlayerBudget } from "./budget/player-budget.ts";
import { type Disconnect, limitExceeded, malformed, retryAfterMs } from "./disconnect.ts";
import type { GridEntity } from "./entities/grid-entity.ts";
import {
  type Agreement,
  agreementOn,
  authorize,
  lookUpPlayer,
  sendableAccount,
  welcomeFor,
} from "./handshake.ts";
import { type JoinedClient, joinedClient } from "./joined-client.ts";
import { Outbox } from "./outbox.ts";
import { readClientFrame } from "./read-client-frame.ts";
import { ReceiveLimits } from "./receive-limits.ts";
import type { EncodedMessages, Member } from "./regions/audience.ts";
import type { ClientRegions } from "./regions/client-regions.ts";
import type { SharedPatch } from "./regions/region-changes.ts";
import type { EntityRange } from "./regions/watched-regions.ts";
import type { ServerContext } from "./server-context.ts";
import type { SessionSet } from "./session-set.ts";
import type { SyncLimits } from "./sync-limits.ts";

/** `handshake` until the client is admitted, `joined` until the connection ends, then `closed`. */
export type ServerPhase = "handshake" | "joined" | "closed";

/** The server's end of one connection, from its first byte to its last. */
export class ServerSession implements Member {
  /** The network of the connection, if known. Anonymous players of one network share a budget. */
  readonly network: string | undefined;
  readonly #context: ServerContext;
  readonly #sessions: SessionSet<ServerSession>;
  readonly #out: Outbox;
  readonly #receiveLimits: ReceiveLimits;
  #phase: ServerPhase = "handshake";
  /** From the hello. */
  #clientId: bigint | undefined;
  #isLookingUpPlayer = false;
  /** Remains after the session is closed, for those who ask who it was. */
  #joined: JoinedClient | undefined;
  #isWelcomeDue = true;
  #isWelcomed = false;
  #maySend = true;
  /** Whether the client is sent only what its audience gets. */
  #isAsleep = false;
  /** The latest tick in which the session had work of its own. */
  #turnTick = 0;
  /** Whether the player is listed among those that move in the next tick. */
  #isMoving = false;

  constructor(
    context: ServerContext,
    sessions: SessionSet<ServerSession>,
    wire: Wire,
    network: string | undefined,
  ) {
    const nowMs = context.options.time.nowMs();
    this.network = network;
    this.#context = context;
    this.#sessions = sessions;
    this.#out = new Outbox(wire, context.totals, context.precision);
    this.#receiveLimits = new ReceiveLimits(context.limits, nowMs);
  }

  get phase(): ServerPhase {
    return this.#phase;
  }

  /** The player; `undefined` before the join. */
  get player(): Player | undefined {
    return this.#joined?.player.player;
  }

  get playerId(): bigint | undefined {
    return this.player?.playerId;
  }

  get budget(): PlayerBudget | undefined {
    return this.#joined?.budget;
  }

  /** Number of regions that the client holds or will hold. */
  get regionCount(): number {
    return this.#joined?.regions.size ?? 0;
  }

  get regionBytes(): number {
    return this.#joined?.regions.bytes ?? 0;
  }

  /** True when the client gets nothing because it has not acknowledged enough. */
  get isHeldBack(): boolean {
    return !this.#maySend;
  }

  /** True until the client's interest is fully applied. */
  get isApplyingInterest(): boolean {
    return this.#joined?.regions.isChanging === true;
  }

  /** True while the client's welcome or regions wait to be sent. */
  get isWaiting(): boolean {
    return this.#joined !== undefined && (this.#isWelcomeDue || this.#joined.sender.isWaiting);
  }

  /** True in a tick in which the client is sent something alone. One that is woken in a tick has its turn in the next. */
  get hasTurn(): boolean {
    return this.#turnTick === this.#context.sharedTick.number;
  }

  /** Gives the session work of its own in the next tick. */
  wake(): void {
    if (!this.#isAsleep) return;
    this.#isAsleep = false;
    this.#sessions.wake(this);
  }

  /** Handles the bytes of one frame, whatever they are. Never throws. */
  receive(frame: Uint8Array): void {
    this.#guard(() => this.#receive(frame));
  }

  /** Handles the end of the connection. */
  disconnected(): void {
    if (this.#phase !== "closed") this.#end();
  }

  /** Ends the connection if the player's account is no longer valid. */
  checkAccount(): void {
    const joined = this.#joined;
    if (joined !== undefined) this.#guard(() => this.#context.options.checkAccount?.(joined.account));
  }

  /** Extends the client's time by a pause of the server, in which no frame was read. */
  excusePause(pauseMs: number, nowMs: number): void {
    this.#receiveLimits.excuse(pauseMs, nowMs);
  }

  startTick(nowMs: number): void {
    this.#turnTick = this.#context.sharedTick.number;
    const { limits } = this.#context;
    this.checkAccount();
    this.#guard(() => {
      if (this.#receiveLimits.isIdle(nowMs)) return limitExceeded("idleMs", limits, "idle");
      if (this.#joined !== undefined) return this.#startTick(this.#joined, nowMs);
      // The handshake timeout excludes the server's own player lookup.
      const isLate = !this.#isLookingUpPlayer && this.#receiveLimits.isHandshakeOver(nowMs);
      return isLate ? limitExceeded("handshakeMs", limits) : undefined;
    });
  }

  /** Applies the pose that the client wants. */
  move(nowMs: number): void {
    this.#isMoving = false;
    const joined = this.#joined;
    if (joined !== undefined) this.#guard(() => this.#move(joined, nowMs));
  }

  /** Ends the session's own work if the client gets only what its audience does from now on. */
  rest(): void {
    if (this.#joined === undefined || !this.#isSettled(this.#joined)) return;
    this.#isAsleep = true;
    this.#sessions.sleep(this);
  }

  /** Sends what the client's audience gets in this tick. */
  sendShared(patches: readonly SharedPatch[], entities: readonly EncodedMessages[]): void {
    const out = this.#out;
    // Called for each client in each tick, so it looks at as little memory as possible.
    if (out.inFlightBytes >= this.#context.inFlightShare) {
      this.#missTick();
      return;
    }
    for (const patch of patches) out.patch(patch);
    for (const { bytes, count } of entities) out.append(bytes, count);
    out.flush();
  }

  /** Sends what the client's audience gets in this tick, where an edit of several regions is in parts. */
  sendParts(patches: readonly SharedPatch[], entities: readonly EncodedMessages[], nowMs: number): void {
    if (this.#out.inFlightBytes < this.#context.inFlightShare)
      this.#joined?.sender.writeParts(this.#out, patches, nowMs);
    this.sendShared([], entities);
  }

  /** Applies another part of the client's interest. */
  applyInterest(nowMs: number): void {
    const joined = this.#joined;
    if (joined !== undefined)
      this.#guard(() => this.#work(joined, (regions) => regions.applyInterest(nowMs)));
  }

  /** Writes and sends the client's messages for this tick. */
  write(nowMs: number): void {
    const joined = this.#joined;
    if (joined !== undefined) this.#guard(() => this.#write(joined, nowMs));
  }

  answer(nowMs: number): void {
    const joined = this.#joined;
    if (joined !== undefined && this.isWaiting) this.#guard(() => this.#answer(joined, nowMs));
  }

  /** Sets the player's pose, whatever the client wants, under a number that was never used before. */
  movePlayer(number: number, pose: Pick<Pose, "position"> & Partial<Pose>, reason: string): void {
    this.#joined?.player.moveTo(number, pose, reason);
    this.wake();
  }

  /** Queues a game message. Returns false if there is no room. */
  sendGame(payload: Uint8Array): boolean {
    this.wake();
    return this.#joined?.game.add(payload) === true;
  }

  detailsChanged(entities: Iterable<GridEntity>): void {
    if (this.#phase === "joined") this.#joined?.entities.addDetails(entities);
    this.wake();
  }

  rangeOf(region: Position): EntityRange {
    const position = this.player?.position;
    return position !== undefined && this.#context.entities.isNear(position, region) ? "near" : "far";
  }

  /** Sends the reason and ends the connection. */
  goodbye(disconnect: Disconnect): void {
    if (this.#phase === "closed") return;
    const { reason } = disconnect;
    const detail = clipText(disconnect.detail, DETAIL_BYTES_MAX);
    this.#out.discard();
    this.#out.write({ kind: "goodbye", reason, detail, retryAfterMs: retryAfterMs(disconnect) });
    this.#out.flush();
    this.#end();
    this.#out.close({ reason, detail, playerId: this.playerId });
    this.#context.options.events?.onGoodbye?.(reason, disconnect.limit);
  }

  /** Runs `act`, unless the session is closed. Any failure with one client ends only its connection. */
  #guard(act: () => Disconnect | undefined): void {
    if (this.#phase === "closed") return;
    let disconnect: Disconnect | undefined;
    try {
      disconnect = act();
    } catch (error) {
      this.#context.options.events?.onFailure?.(error);
      disconnect = { reason: "failure", detail: "the server failed to do what was asked" };
    }
    if (disconnect !== undefined) this.goodbye(disconnect);
  }

  #receive(frame: Uint8Array): Disconnect | undefined {
    const nowMs = this.#context.options.time.nowMs();
    const joined = this.#joined;
    const limit = this.#receiveLimits.frame(frame.length, nowMs, joined !== undefined);
    if (limit !== undefined) return limitExceeded(limit, this.#context.limits);
    const read = readClientFrame(frame, this.#clientId === undefined);
    if ("reason" in read) return read;
    if (joined === undefined) return this.#receiveHellos(read);
    joined.player.heard(nowMs);
    if (!this.#out.acknowledge(read.acknowledged) || !this.#out.stream.confirm(read.applied)) {
      return malformed("something is acknowledged that was never sent");
    }
    for (const message of read.messages) {
      const disconnect = this.#receiveMessage(joined, message, nowMs);
      if (disconnect !== undefined || this.#phase === "closed") return disconnect;
    }
    // A refused move is corrected at once: the longer it takes, the more the correction shows.
    if (joined.player.isRefused && this.#isWelcomed && this.#maySend) {
      joined.player.writePlaced(this.#out, nowMs);
      this.#out.flush();
    }
    return undefined;
  }

  /** Handles a frame before the join, which may contain only hellos, perhaps repeated. */
  #receiveHellos({ messages }: ClientFrame): Disconnect | undefined {
    for (const message of messages) {
      if (message.kind !== "hello") return malformed(`${message.kind} before the welcome`);
      if (this.#clientId !== undefined) continue;
      const agreement = agreementOn(message, this.#context.world);
      if ("reason" in agreement) return agreement;
      this.#clientId = message.clientId;
      void this.#authorize(message, agreement);
    }
    return undefined;
  }

  async #authorize(hello: Hello, agreement: Agreement): Promise<void> {
    const { options } = this.#context;
    const authorized = await authorize(hello, options);
    if ("reason" in authorized) return this.goodbye(authorized);
    this.#isLookingUpPlayer = true;
    await lookUpPlayer(authorized.account, options);
    this.#isLookingUpPlayer = false;
    this.#guard(() => {
      const account = sendableAccount(authorized.account);
      return "reason" in account ? account : this.#join(hello, account, agreement);
    });
    // The welcome does not wait for a tick, so that the client's first interest can arrive before the next one.
    this.write(options.time.nowMs());
  }

  #join(hello: Hello, account: Account, agreement: Agreement): Disconnect | undefined {
    const context = this.#context;
    const nowMs = context.options.time.nowMs();
    // Checked here, after the player lookup, because the account may have been revoked meanwhile.
    const budget =
      context.options.checkAccount?.(account) ?? this.#sessions.join(this, hello.clientId, account);
    if ("reason" in budget) return budget;
    const admission = { hello, account, agreement, budget, network: this.network };
    const joined = joinedClient(context, this, admission, nowMs);
    this.#joined = joined;
    joined.edits.attach(hello, account, joined.onDecided);
    this.#phase = "joined";
    context.options.rules?.onJoin?.({ player: joined.player.player });
    return undefined;
  }

  /** Handles a message of a joined client. Returns why the client must be disconnected, if so. */
  #receiveMessage(joined: JoinedClient, message: ClientMessage, nowMs: number): Disconnect | undefined {
    const { limits, options } = this.#context;
    if (message.kind !== "move") this.wake();
    switch (message.kind) {
      case "hello":
        // The welcome was lost or is on its way. A connection cannot change its client.
        if (message.clientId !== this.#clientId) return malformed("another client on the same connection");
        this.#isWelcomeDue = true;
        return undefined;
      case "interest": {
        const limit = this.#receiveLimits.interest(nowMs);
        if (limit !== undefined) return limitExceeded(limit, limits);
        return this.#work(joined, (regions) => regions.setInterest(message, nowMs));
      }
      case "voxels":
      case "fill":
      case "copy":
        return joined.edits.submit(message, joined.player.player, joined.budget, nowMs);
      case "operation":
      case "cancelOperation":
        return receiveOperation(joined, message, nowMs);
      case "move":
        joined.player.requestPose(message, nowMs);
        if (joined.player.isPlaced) this.wake();
        if (this.#isMoving) return undefined;
        this.#isMoving = true;
        this.#sessions.moving.push(this);
        return undefined;
      case "resync": {
        const { expected } = message;
        if (expected > this.#out.stream.next) return malformed(`stream number ${expected} is still to come`);
        const regions = message.regions.map(({ region }) => region);
        const count = joined.sender.resync(this.#out, expected, regions);
        if (count > 0) options.events?.onResync?.(count);
        return undefined;
      }
      case "placedSeen":
        joined.player.confirm(message.number);
        return undefined;
      case "blocksSeen":
        joined.blocks.seen(message.blocksHash);
        return undefined;
      case "entitiesLost":
        joined.entities.markStale();
        return undefined;
      case "game": {
        const limit = this.#receiveLimits.gameMessage(nowMs);
        if (limit !== undefined) return limitExceeded(limit, limits);
        options.rules?.onMessage?.({ player: joined.player.player, payload: message.payload });
        return undefined;
      }
    }
  }

  /** Works on the client's interest. Its entities are outdated when it then sees other regions. */
  #work(
    { regions, entities, player }: JoinedClient,
    work: (regions: ClientRegions) => keyof SyncLimits | undefined,
  ): Disconnect | undefined {
    const { areaVersion } = regions;
    const exceeded = work(regions);
    if (regions.areaVersion !== areaVersion) {
      entities.markStale();
      regions.reportInterest(player.player);
    }
    if (!regions.isChanging && regions.isWaiting) this.#context.answers.add(this);
    return exceeded && limitExceeded(exceeded, this.#context.limits);
  }

  #answer({ blocks, budget, entities, sender }: JoinedClient, nowMs: number): undefined {
    const isHeldBack = !this.#maySend || this.#out.inFlightBytes >= this.#context.inFlightShare;
    if (!this.#isWelcomed || isHeldBack || !budget.take("answers", 1, nowMs)) return;
    // Before the patches, which may have new blocks.
    blocks.write(this.#out, nowMs);
    sender.write(this.#out, nowMs);
    // An interest has arrived when its entities have, which come with the next tick.
    if (!entities.isStale) sender.writeHeartbeat(this.#out, nowMs, true);
    this.#out.flush();
  }

  #startTick(joined: JoinedClient, nowMs: number): Disconnect | undefined {
    const { limits, inFlightShare } = this.#context;
    joined.player.tick(nowMs);
    this.#maySend = this.#out.inFlightBytes < inFlightShare;
    if (this.#receiveLimits.isSlow(this.#maySend, nowMs)) return limitExceeded("slowMs", limits, "slow");
    if (this.#mustLeaveAudience(joined)) joined.regions.leaveAudience();
    joined.sender.startTick(this.#maySend);
    if (!joined.regions.hasInterestWaiting) return undefined;
    return this.#work(joined, (regions) => regions.startInterest(nowMs));
  }

  #write(joined: JoinedClient, nowMs: number): undefined {
    const { sendWork, entities } = this.#context;
    const { regions, budget } = joined;
    // Nothing precedes the welcome. When many clients join at once, some have to wait for it.
    if (!this.#isWelcomed && !sendWork.hasTime()) return;
    if (this.#maySend) {
      if (this.#isWelcomeDue) {
        sendWork.run(() =>
          this.#out.write(welcomeFor(joined.agreement, joined.player.player, this.#context)),
        );
        joined.blocks.welcomed();
        this.#isWelcomeDue = false;
        this.#isWelcomed = true;
      }
      // Before the patches, which may have new blocks.
      joined.blocks.write(this.#out, nowMs);
      const { resyncs } = regions;
      if (resyncs > 0) regions.releaseResyncs(budget.takeResyncRegions(resyncs, nowMs));
      joined.player.writePlaced(this.#out, nowMs);
      joined.sender.write(this.#out, nowMs);
      // A client sees an edit before it learns its result.
      if (!joined.sender.isHolding) {
        joined.results.write(this.#out, regions);
        joined.operations?.answers.write(this.#out, regions);
      }
      joined.entities.write(this.#out, entities, sendWork, nowMs);
      joined.game.write(this.#out);
    }
    const isBeat = joined.sender.writeHeartbeat(this.#out, nowMs, this.#maySend);
    this.#out.flush();
    if (isBeat && this.#maySend) this.#joinAudience(joined);
  }

  /** Whether the client gets only what its audience does, until something else happens. */
  #isSettled(joined: JoinedClient): boolean {
    const { regions, sender, entities, results, game, player, blocks, operations } = joined;
    const hasAll = !sender.isWaiting && !regions.isMissingSome && !entities.isStale && entities.isDetailed;
    const isReady = this.#maySend && this.#isWelcomed && !this.#isWelcomeDue && !regions.hasInterestWaiting;
    const isAnswered = results.isEmpty && operations?.answers.isEmpty !== false;
    return isReady && hasAll && isAnswered && game.isEmpty && !player.isPlaced && blocks.isCurrent;
  }

  #missTick(): void {
    this.#maySend = false;
    this.#joined?.regions.missTick();
    this.wake();
  }

  #move(joined: JoinedClient, nowMs: number): undefined {
    joined.player.tick(nowMs);
    // Its audience may see other entities.
    if (joined.player.isPlaced || this.#mustLeaveAudience(joined)) this.wake();
  }

  /** Whether the client cannot be sent what others of its audience are, or sees other entities. */
  #mustLeaveAudience({ regions, player }: JoinedClient): boolean {
    const { size, isBehind, home } = regions.audience;
    if (size === 1) return false;
    const isHome = home !== undefined && this.#context.entities.isIn(player.player.position, home);
    return !this.#maySend || isBehind || !isHome;
  }

  #joinAudience({ regions, sender, player, entities }: JoinedClient): void {
    if (!sender.isWaiting && !entities.isStale)
      regions.joinAudience(this.#context.entities.regionOf(player.player.position));
  }

  #end(): void {
    const { options } = this.#context;
    const joined = this.#joined;
    const nowMs = options.time.nowMs();
    this.#phase = "closed";
    this.#isAsleep = false;
    this.#out.abandon();
    // The client is gone even if its state could not be stored, or the game's rule fails.
    const attempt = (act: () => void): void => {
      try {
        act();
      } catch (error) {
        options.events?.onFailure?.(error);
      }
    };
    attempt(() => {
      joined?.regions.clear();
      joined?.edits.detach(joined.onDecided);
      joined?.operations?.end(nowMs);
      joined?.player.leave(nowMs);
    });
    const clientId = this.#sessions.leave(this);
    if (clientId !== undefined) this.#context.editQueues.leave(clientId, nowMs);
    if (joined !== undefined) attempt(() => options.rules?.onLeave?.({ player: joined.player.player }));
  }
}

function receiveOperation(
  { operations }: JoinedClient,
  message: OperationMessage | CancelOperation,
  nowMs: number,
): Disconnect | undefined {
  if (operations === undefined) return malformed(`${message.kind} of a client that does not know operations`);
  const { requests, client } = operations;
  if (message.kind === "operation") return requests.submit(message, client, nowMs);
  requests.cancel(message.requestId);
  return undefined;
}
