import { decode, isOrthantError, OrthantError, type Position, PositionSet } from "@orthant/core";
import type { Pose } from "../message/being.ts";
import type { ClientMessage, Kept } from "../message/client-message.ts";
import { serverFrameCodec } from "../message/server-frame-codec.ts";
import type { Goodbye, ServerFrame, ServerMessage, Verdict, Welcome } from "../message/server-message.ts";
import { KNOWN_FEATURES, PROTOCOL_VERSION, REQUIRED_FEATURES_MASK } from "../message/version.ts";
import type { Wire } from "../message/wire.ts";
import { BeingRegister } from "./being-register.ts";
import { hasElapsed } from "./elapsed.ts";
import type { GuestMemory } from "./guest-memory.ts";
import type { GuestOptions } from "./guest-options.ts";
import { InterestDesk } from "./interest-desk.ts";
import type { WishedRegions } from "./interest-regions.ts";
import type { Notices } from "./notices.ts";
import { encodeClientMessage, Outgoing } from "./outgoing.ts";
import { WorldStream } from "./world-stream.ts";

/** Time to wait for a welcome before sending the hello again. */
const HELLO_REPEAT_MS = 1_000;

/** What a session needs to start. */
export interface SessionStart {
  readonly wire: Wire;
  readonly options: GuestOptions;
  readonly memory: GuestMemory;
  readonly notices: Notices;
  readonly wished: WishedRegions | undefined;
}

/** State that exists only after the welcome. */
interface Stay {
  readonly welcome: Welcome;
  readonly stream: WorldStream;
  readonly beings: BeingRegister;
}

/** One connection of a client, from hello to goodbye. */
export class GuestSession {
  readonly #options: GuestOptions;
  readonly #memory: GuestMemory;
  readonly #notices: Notices;
  readonly #wire: Wire;
  readonly #outgoing: Outgoing;
  readonly #hello: Uint8Array;
  /** The world and era announced in the hello. */
  readonly #kept: Kept | undefined;
  readonly #interests = new InterestDesk();
  /** Verdicts that arrived before those on earlier edits. */
  readonly #earlyVerdicts = new Map<number, Verdict>();
  #helloMs: number | undefined;
  #stay: Stay | undefined;
  #wished: WishedRegions | undefined;
  #pose: Pose | undefined;
  /** The highest frame number received. */
  #frameNumber = 0;
  #isComplete = false;
  #isOver = false;

  /** Sends the hello. */
  constructor({ wire, options, memory, notices, wished }: SessionStart) {
    this.#options = options;
    this.#memory = memory;
    this.#notices = notices;
    this.#wire = wire;
    this.#outgoing = new Outgoing(wire, () => ({
      acknowledged: this.#frameNumber,
      applied: this.#stay?.stream.applied ?? 0,
    }));
    this.#kept = memory.kept;
    this.#hello = encodeClientMessage({
      kind: "hello",
      version: PROTOCOL_VERSION,
      manifestHash: options.generators.manifestHash,
      featureBits: KNOWN_FEATURES,
      clientId: options.clientId,
      token: options.token(),
      name: options.name,
      kept: this.#kept,
      openEditId: memory.edits.lowestId,
    });
    memory.edits.rewind();
    if (wished !== undefined) this.wish(wished);
    this.tick();
  }

  /** True after the welcome, until the connection ends. */
  get isWelcome(): boolean {
    return this.#stay !== undefined && !this.#isOver;
  }

  /** The beings in sight; `undefined` before the welcome. */
  get beings(): BeingRegister | undefined {
    return this.#stay?.beings;
  }

  /** True when the whole latest interest is held in its current state. */
  get isComplete(): boolean {
    return this.#isComplete;
  }

  /** Changes the interest. */
  wish(wished: WishedRegions): void {
    this.#wished = wished;
    this.#interests.wish(wished);
    this.#isComplete = false;
  }

  /** Changes the pose. Only the latest pose is sent. */
  move(pose: Pose): void {
    this.#pose = pose;
  }

  /** Sends a game message. Returns false before the welcome and after the end. */
  sendGame(payload: Uint8Array): boolean {
    if (!this.isWelcome) return false;
    this.#push({ kind: "game", payload });
    return true;
  }

  /** Sends what is due. */
  tick(): void {
    if (this.#isOver) return;
    const nowMs = this.#nowMs();
    if (this.#stay !== undefined) this.#pushDue(this.#stay, nowMs);
    else if (hasElapsed(this.#helloMs, nowMs, HELLO_REPEAT_MS)) {
      this.#helloMs = nowMs;
      this.#outgoing.push(this.#hello, nowMs);
    }
    this.#outgoing.flush(nowMs);
  }

  /** Handles a frame. An invalid frame ends the connection. */
  receive(bytes: Uint8Array): void {
    if (this.#isOver) return;
    this.#outgoing.received(bytes.length);
    try {
      this.#take(decode(serverFrameCodec(this.#stay?.welcome.shape.volume), bytes));
    } catch (error) {
      if (!isOrthantError(error)) throw error;
      this.#notices.fault(error);
      this.#close();
    }
  }

  /** Ends the session after the connection is gone. */
  end(): void {
    this.#isOver = true;
    this.#isComplete = false;
    this.#stay?.beings.clear();
  }

  #pushDue({ stream, beings }: Stay, nowMs: number): void {
    const interest = this.#interests.due(nowMs, (wished) => this.#memory.offer(wished, this.#kept?.era));
    if (interest !== undefined) this.#push(interest);
    const resync = stream.due(nowMs);
    if (resync !== undefined) {
      this.#memory.counts.resyncs++;
      this.#push(resync);
    }
    if (beings.isDue(nowMs)) this.#push({ kind: "beingsLost" });
    for (const message of this.#memory.edits.due(nowMs)) this.#outgoing.push(message, nowMs);
    if (this.#pose !== undefined) this.#push({ kind: "move", ...this.#pose });
    this.#pose = undefined;
  }

  #take({ number, messages }: ServerFrame): void {
    const isNewer = number > this.#frameNumber;
    if (number > this.#frameNumber + 1) this.#stay?.beings.fallBehind();
    this.#frameNumber = Math.max(this.#frameNumber, number);
    for (const message of messages) {
      if (this.#isOver) return;
      if (message.kind === "welcome") this.#welcomed(message);
      else if (message.kind === "goodbye") this.#left(message);
      else if (this.#stay !== undefined) this.#hear(message, this.#stay, isNewer);
    }
    this.#checkComplete();
  }

  #welcomed(welcome: Welcome): void {
    if (this.#stay !== undefined) return;
    requireKnownFeatures(welcome);
    if (this.#memory.isElsewhere(welcome)) this.#dropEdits();
    const replica = this.#memory.enter(welcome);
    // Frames before the welcome could not be decoded.
    const isInStep = this.#frameNumber === 1;
    const beings = new BeingRegister(welcome.shape, welcome.playerId, isInStep);
    this.#stay = { welcome, stream: new WorldStream(replica), beings };
    this.#notices.welcome(welcome);
  }

  /** Drops edits for another world. The hello announced them, so this connection cannot continue. */
  #dropEdits(): void {
    const open = this.#memory.edits.all();
    for (const { editId } of open) {
      this.#judge({
        editId,
        outcome: "refused",
        reason: "world",
        detail: "the server has another world now",
      });
    }
    if (open.length > 0) throw new OrthantError("ORT_MESSAGE", "the server has another world now");
  }

  #left(goodbye: Goodbye): void {
    this.#notices.goodbye(goodbye);
    this.#close();
  }

  /** Handles a message after the welcome. Skips, in a late frame, what only the newest frame may say. */
  #hear(message: Exclude<ServerMessage, Welcome | Goodbye>, stay: Stay, isNewer: boolean): void {
    switch (message.kind) {
      case "patch":
      case "blank":
      case "forget":
      case "reset":
        if (message.kind === "patch") this.#memory.counts.patches++;
        stay.stream.take(message, this.#nowMs());
        if (message.kind === "forget") this.#loseSight(message.mask.regions, stay);
        break;
      case "verdicts":
        this.#takeVerdicts(message.verdicts);
        break;
      case "heartbeat":
        if (isNewer) stay.stream.heard(message, this.#nowMs());
        this.#interests.heard(message.interestId);
        break;
      case "allBeings":
        if (isNewer) stay.beings.replace(message);
        break;
      case "beings":
        if (isNewer) stay.beings.change(message);
        break;
      case "game":
        if (isNewer) this.#notices.game(message.payload);
    }
  }

  /**
   * Takes verdicts in edit order; an early one waits for those before it. The open edits therefore never have
   * a gap, which a restarted server could not tell from an edit lost on the way.
   */
  #takeVerdicts(verdicts: readonly Verdict[]): void {
    const { edits } = this.#memory;
    for (const verdict of verdicts)
      if (edits.has(verdict.editId)) this.#earlyVerdicts.set(verdict.editId, verdict);
    for (;;) {
      const verdict = this.#earlyVerdicts.get(edits.lowestId);
      if (verdict === undefined) return;
      this.#earlyVerdicts.delete(verdict.editId);
      this.#judge(verdict);
    }
  }

  #judge(verdict: Verdict): void {
    if (!this.#memory.edits.settle(verdict.editId)) return;
    this.#memory.replica?.takeBack(verdict.editId);
    this.#notices.verdict(verdict);
  }

  /** Drops the entities of unwanted regions, because the server will not report when they leave. */
  #loseSight(regions: readonly Position[], { beings }: Stay): void {
    const outOfSight = new PositionSet();
    for (const region of regions) if (!this.#isWished(region)) outOfSight.add(...region);
    beings.dropIn(outOfSight);
  }

  #checkComplete(): void {
    const interestId = this.#stay?.stream.completeInterestId;
    const isComplete = interestId !== undefined && this.#interests.isCurrent(interestId);
    const isNew = isComplete && !this.#isComplete;
    this.#isComplete = isComplete;
    if (!isNew) return;
    // The server tracks nothing else for us, so it would not report changes elsewhere.
    this.#memory.dropAllBut((region) => this.#isWished(region));
    this.#notices.complete(interestId);
  }

  #isWished(region: Position): boolean {
    return this.#wished?.regions.has(...region) === true;
  }

  #push(message: ClientMessage): void {
    this.#outgoing.push(encodeClientMessage(message), this.#nowMs());
  }

  #close(): void {
    this.end();
    this.#wire.close();
  }

  #nowMs(): number {
    return this.#options.clock.nowMs();
  }
}

/** Throws `ORT_VERSION` if a welcome requires a feature that we do not support. */
function requireKnownFeatures({ featureBits }: Welcome): void {
  const unknown = featureBits & REQUIRED_FEATURES_MASK & ~KNOWN_FEATURES;
  if (unknown !== 0n) throw new OrthantError("ORT_VERSION", `unknown features 0x${unknown.toString(16)}`);
}
