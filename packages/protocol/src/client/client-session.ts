import { isOrthantError, OrthantError, type Position } from "@orthant/core";
import { decode } from "@orthant/core/bytes";
import { PositionSet } from "@orthant/core/lattice";
import type { TokenBucket } from "@orthant/core/time";
import type { CachedEpoch, ClientMessage } from "../message/client-message.ts";
import type { Pose } from "../message/entity.ts";
import {
  FEATURES,
  HELLO_GENERATORS_MAX,
  KNOWN_FEATURES,
  PROTOCOL_VERSION,
  REQUIRED_FEATURES_MASK,
} from "../message/limits.ts";
import { serverFrameCodec } from "../message/server-frame-codec.ts";
import type {
  BlocksMessage,
  Goodbye,
  GoodbyeReason,
  NumberedEditResult,
  Placed,
  ServerFrame,
  ServerMessage,
  Welcome,
} from "../message/server-message.ts";
import type { Wire } from "../message/wire.ts";
import type { ClientState } from "./client-state.ts";
import { carefulBucket } from "./edit-pace.ts";
import { EntitySet } from "./entity-set.ts";
import { InterestQueue, type InterestRegions } from "./interest.ts";
import type { OwnEditResult } from "./open-edits.ts";
import { encodeClientMessage, hasElapsed, Outgoing } from "./outgoing.ts";
import type { EventQueue, SendResult, SyncClientOptions } from "./sync-client-options.ts";
import { WorldStream } from "./world-stream.ts";

/** Time to wait for a welcome before sending the hello again. */
const HELLO_REPEAT_MS = 1_000;

/** Bytes of frames that a server may have a client remember before it shows them: several times what a server sends. */
const HELD_BYTES_MAX = 134_217_728;

/** What a session needs to start. */
interface SessionStart {
  readonly wire: Wire;
  readonly options: SyncClientOptions;
  readonly state: ClientState;
  readonly events: EventQueue;
  readonly area: InterestRegions | undefined;
}

/** `joining` until the welcome, `joined` until the connection ends, then `closed`. */
export type ClientPhase = "joining" | "joined" | "closed";

/** What exists from the welcome on. */
interface JoinedState {
  readonly welcome: Welcome;
  readonly stream: WorldStream;
  readonly entities: EntitySet;
  /** How many game messages the server takes now. */
  readonly gameMessages: TokenBucket;
}

/** A pose, and when the player took it. */
interface TimedPose extends Pose {
  readonly timeMs: number;
}

/** One connection of a client, from hello to goodbye. */
export class ClientSession {
  readonly #options: SyncClientOptions;
  readonly #state: ClientState;
  readonly #events: EventQueue;
  readonly #wire: Wire;
  readonly #outgoing: Outgoing;
  readonly #hello: Uint8Array;
  /** The world and epoch announced in the hello. */
  readonly #kept: CachedEpoch | undefined;
  readonly #interests = new InterestQueue();
  /** Results that arrived before those of earlier edits. */
  readonly #earlyResults = new Map<number, NumberedEditResult>();
  #helloMs: number | undefined;
  #phase: ClientPhase = "joining";
  #joined: JoinedState | undefined;
  #area: InterestRegions | undefined;
  /** When the session started; the times in its moves count from here. */
  readonly #startMs: number;
  /** The pose to send. */
  #pose: TimedPose | undefined;
  /** The pose that was sent last, after the newest that the server set. */
  #sentPose: TimedPose | undefined;
  /** The number of the pose to confirm. */
  #unconfirmed: number | undefined;
  /** The highest frame number received. */
  #frameNumber = 0;
  #isComplete = false;
  /** Bytes of frames since the last hold. */
  #heldBytes = 0;

  /** Sends the hello. */
  constructor({ wire, options, state, events, area }: SessionStart) {
    this.#options = options;
    this.#state = state;
    this.#events = events;
    this.#wire = wire;
    this.#startMs = Math.floor(options.time.nowMs());
    this.#outgoing = new Outgoing(wire, () => ({
      acknowledged: this.#frameNumber,
      applied: this.#joined?.stream.applied ?? 0,
    }));
    this.#kept = state.kept;
    const { offeredHashes, versionHashes } = options.generators;
    const isSampled =
      offeredHashes.length > versionHashes.length && offeredHashes.length <= HELLO_GENERATORS_MAX;
    this.#hello = encodeClientMessage({
      kind: "hello",
      version: PROTOCOL_VERSION,
      generators: isSampled ? offeredHashes : versionHashes.slice(0, HELLO_GENERATORS_MAX),
      featureBits:
        KNOWN_FEATURES |
        (state.edits.hasSent ? FEATURES.resends : 0n) |
        (isSampled ? FEATURES.sampledGenerators : 0n),
      clientId: options.clientId,
      token: options.token(),
      name: options.name,
      kept: this.#kept,
      openEditId: state.edits.lowestId,
      blocksHash: state.blocksHash,
    });
    state.edits.rewind();
    state.operations.rewind();
    if (area !== undefined) this.setInterest(area);
    this.tick();
  }

  get phase(): ClientPhase {
    return this.#phase;
  }

  /** The entities in sight; `undefined` before the welcome. */
  get entities(): EntitySet | undefined {
    return this.#joined?.entities;
  }

  /** True when the whole latest interest is held in its current state. */
  get isComplete(): boolean {
    return this.#isComplete;
  }

  /** Changes the interest. */
  setInterest(area: InterestRegions): void {
    this.#area = area;
    this.#interests.setInterest(area);
    this.#isComplete = false;
  }

  /** Changes the pose. Only the latest pose is sent. */
  move({ position, orientation }: Pose): void {
    // At least 1, so that 0 means none.
    const timeMs = Math.max(1, Math.round(this.#nowMs()) - this.#startMs);
    this.#pose = { position, orientation, timeMs };
  }

  /** Sends a game message, unless there are too many or the client is not welcomed. */
  sendGame(payload: Uint8Array): SendResult {
    if (this.#phase !== "joined" || this.#joined === undefined) return "offline";
    if (!this.#joined.gameMessages.take(1, this.#nowMs())) return "rate";
    this.#push({ kind: "game", payload });
    return "sent";
  }

  /** Sends what is due. */
  tick(): void {
    if (this.#phase === "closed") return;
    const nowMs = this.#nowMs();
    if (this.#joined !== undefined) this.#pushDue(this.#joined, nowMs);
    else if (hasElapsed(this.#helloMs, nowMs, HELLO_REPEAT_MS)) {
      this.#helloMs = nowMs;
      this.#outgoing.push(this.#hello, nowMs);
    }
    this.#outgoing.flush(nowMs);
  }

  /** Handles a frame. An invalid frame ends the connection. */
  receive(bytes: Uint8Array): void {
    if (this.#phase === "closed") return;
    this.#outgoing.received(bytes.length);
    try {
      const welcome = this.#joined?.welcome;
      this.#take(decode(serverFrameCodec(welcome?.shape.volume, welcome?.precision), bytes));
      this.#countHeld(bytes.length);
    } catch (error) {
      if (!isOrthantError(error)) throw error;
      this.#events.add((events) => events.onFault?.(error));
      this.#close("malformed", error.message);
    }
  }

  /** Ends the session after the connection is gone. */
  end(): void {
    this.#phase = "closed";
    this.#isComplete = false;
    this.#joined?.entities.clear();
  }

  #pushDue({ welcome, stream, entities }: JoinedState, nowMs: number): void {
    const interest = this.#interests.due(nowMs, (area) => this.#state.offer(area, this.#kept?.epoch));
    if (interest !== undefined) this.#push(interest);
    const resync = stream.due(nowMs);
    if (resync !== undefined) {
      this.#state.counts.resyncs++;
      this.#push(resync);
    }
    if (entities.isDue(nowMs)) this.#push({ kind: "entitiesLost" });
    for (const message of this.#state.edits.due(nowMs)) this.#outgoing.push(message, nowMs);
    if ((welcome.featureBits & FEATURES.operations) !== 0n)
      for (const message of this.#state.operations.due(nowMs)) this.#outgoing.push(message, nowMs);
    if (this.#unconfirmed !== undefined) this.#push({ kind: "placedSeen", number: this.#unconfirmed });
    this.#unconfirmed = undefined;
    if (this.#pose === undefined) return;
    this.#push({ kind: "move", ...this.#pose });
    this.#sentPose = this.#pose;
    this.#pose = undefined;
  }

  /** Ends the connection to a server that would have the client remember more and more. */
  #countHeld(bytes: number): void {
    this.#heldBytes = this.#joined?.stream.isHolding === true ? this.#heldBytes + bytes : 0;
    if (this.#heldBytes <= HELD_BYTES_MAX) return;
    throw new OrthantError("ORT_LIMIT", `${this.#heldBytes} bytes held, the limit is ${HELD_BYTES_MAX}`);
  }

  #take({ number, messages }: ServerFrame): void {
    const isNewer = number > this.#frameNumber;
    if (number > this.#frameNumber + 1) this.#joined?.entities.fallBehind();
    this.#frameNumber = Math.max(this.#frameNumber, number);
    for (const message of messages) {
      if (this.#phase === "closed") return;
      if (message.kind === "welcome") this.#welcomed(message);
      else if (message.kind === "goodbye") this.#left(message);
      else if (this.#joined !== undefined) this.#receiveJoined(message, this.#joined, isNewer);
    }
    this.#checkComplete();
  }

  #welcomed(welcome: Welcome): void {
    if (this.#joined !== undefined) return;
    requireKnownFeatures(welcome);
    if (this.#state.isElsewhere(welcome)) this.#dropEdits();
    const replica = this.#state.enter(welcome);
    // Frames before the welcome could not be decoded.
    const isInStep = this.#frameNumber === 1;
    const entities = new EntitySet(welcome, isInStep);
    this.#phase = "joined";
    const nowMs = this.#nowMs();
    const { gameMessagesPerSecond } = welcome.limits;
    this.#state.edits.welcomed(welcome, nowMs);
    this.#joined = {
      welcome,
      stream: new WorldStream(replica),
      entities,
      gameMessages: carefulBucket(gameMessagesPerSecond, gameMessagesPerSecond, nowMs),
    };
    this.#events.add((events) => events.onWelcome?.(welcome));
  }

  /** Drops edits for another world. The hello announced them, so this connection cannot continue. */
  #dropEdits(): void {
    const detail = "the server has another world now";
    const closed = this.#state.edits.settleAll({ status: "rejected", reason: "world", detail });
    this.#report(closed);
    if (closed.length > 0) throw new OrthantError("ORT_MESSAGE", detail);
  }

  #left(goodbye: Goodbye): void {
    this.#events.add((events) => events.onGoodbye?.(goodbye));
    this.#close(goodbye.reason, goodbye.detail);
  }

  /** Handles a message after the welcome. Skips, in a late frame, what only the newest frame may say. */
  #receiveJoined(
    message: Exclude<ServerMessage, Welcome | Goodbye>,
    joined: JoinedState,
    isNewer: boolean,
  ): void {
    switch (message.kind) {
      case "patch":
      case "blank":
      case "forget":
      case "reset":
      case "hold":
      case "release":
        if (message.kind === "patch") this.#state.counts.patches++;
        joined.stream.take(message, this.#nowMs());
        if (message.kind === "forget") this.#dropOutOfRange(message.mask.regions, joined);
        break;
      case "editResults":
        this.#receiveResults(message.results);
        break;
      case "heartbeat":
        if (isNewer) joined.stream.receivedHeartbeat(message, this.#nowMs());
        this.#interests.received(message.interestId);
        break;
      case "allEntities":
        if (isNewer) joined.entities.replace(message);
        break;
      case "entities":
        if (isNewer) joined.entities.change(message);
        break;
      case "moves":
        if (isNewer) joined.entities.move(message);
        break;
      case "motions":
        if (isNewer) joined.entities.accelerate(message);
        break;
      case "blocks":
        if (isNewer) this.#receiveBlocks(message);
        break;
      case "entityDetails":
        if (isNewer) joined.entities.detail(message);
        break;
      case "placed":
        if (isNewer) this.#placed(message);
        break;
      case "operationProgress": {
        const { requestId, done, total } = message;
        if (this.#state.operations.taken(requestId))
          this.#events.add((events) => events.onOperationProgress?.(requestId, { done, total }));
        break;
      }
      case "operationAnswer": {
        const { requestId, outcome } = message;
        if (this.#state.operations.settle(requestId))
          this.#events.add((events) => events.onOperationAnswer?.({ requestId, outcome }));
        break;
      }
      case "operationTerms":
        this.#events.add((events) => events.onOperationTerms?.(message.limits));
        break;
      case "clock":
        if (isNewer) this.#events.clock(message.timeMs);
        break;
      case "game":
        if (isNewer) this.#events.add((events) => events.onGame?.(message.payload));
    }
  }

  /**
   * Takes results in edit order; an early one waits for those before it. The open edits therefore never have
   * a gap, which a restarted server could not distinguish from an edit lost on the way.
   */
  #receiveResults(results: readonly NumberedEditResult[]): void {
    const { edits } = this.#state;
    for (const result of results) if (edits.has(result.editId)) this.#earlyResults.set(result.editId, result);
    for (;;) {
      const result = this.#earlyResults.get(edits.lowestId);
      if (result === undefined) return;
      this.#earlyResults.delete(result.editId);
      this.#report(edits.settle(result));
    }
  }

  /** Removes the predictions of edits, and reports their results. */
  #report(results: readonly OwnEditResult[]): void {
    this.#state.replica?.takeBack(new Set(results.map(({ number }) => number)));
    for (const result of results) this.#events.add((events) => events.onEditResult?.(result));
  }

  /** Takes the catalog, and says which one is held, so that the server sends what is missing. */
  #receiveBlocks(message: BlocksMessage): void {
    const catalog = this.#state.changeBlocks(message);
    if (catalog !== undefined) this.#events.add((events) => events.onBlocks?.(catalog));
    this.#push({ kind: "blocksSeen", blocksHash: this.#state.blocksHash });
  }

  /** Takes a pose once, and confirms it each time that it comes. Moves from before it are void. */
  #placed(placed: Placed): void {
    // Another server, or the same one after a restart, may count from a lower number.
    if (placed.number !== this.#state.placedNumber) {
      this.#state.placedNumber = placed.number;
      this.#pose = undefined;
      this.#sentPose = undefined;
      const moveMs = placed.moveMs === 0 ? undefined : this.#startMs + placed.moveMs;
      this.#events.add((events) => events.onPlaced?.(placed, moveMs));
    }
    // The server has ignored what was sent before this confirmation.
    this.#pose ??= this.#sentPose;
    this.#unconfirmed = placed.number;
  }

  /** Drops the entities of unwanted regions, because the server will not report when they leave. */
  #dropOutOfRange(regions: readonly Position[], { entities }: JoinedState): void {
    const outOfRange = new PositionSet();
    for (const region of regions) if (!this.#isInInterest(region)) outOfRange.add(...region);
    entities.dropIn(outOfRange);
  }

  #checkComplete(): void {
    const interestId = this.#joined?.stream.completeInterestId;
    const isComplete = interestId !== undefined && this.#interests.isCurrent(interestId);
    const isNew = isComplete && !this.#isComplete;
    this.#isComplete = isComplete;
    if (!isNew) return;
    // The server tracks nothing else for us, so it would not report changes elsewhere.
    this.#state.dropAllBut((region) => this.#isInInterest(region));
    this.#events.add((events) => events.onComplete?.(interestId));
  }

  #isInInterest(region: Position): boolean {
    return this.#area?.regions.has(...region) === true;
  }

  #push(message: ClientMessage): void {
    this.#outgoing.push(encodeClientMessage(message), this.#nowMs());
  }

  #close(reason: GoodbyeReason, detail: string): void {
    this.end();
    this.#wire.close({ reason, detail, playerId: this.#joined?.welcome.playerId });
  }

  #nowMs(): number {
    return this.#options.time.nowMs();
  }
}

/** Throws `ORT_VERSION` if a welcome requires a feature that we do not support. */
function requireKnownFeatures({ featureBits }: Welcome): void {
  const unknown = featureBits & REQUIRED_FEATURES_MASK & ~KNOWN_FEATURES;
  if (unknown !== 0n) throw new OrthantError("ORT_VERSION", `unknown features 0x${unknown.toString(16)}`);
}
