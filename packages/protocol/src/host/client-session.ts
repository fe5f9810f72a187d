import { decode, isOrthantError, nameFault, OrthantError } from "@orthant/core";
import { clientFrameCodec, readHelloVersion } from "../message/client-frame-codec.ts";
import type { ClientFrame, Hello } from "../message/client-message.ts";
import { DETAIL_BYTES_MAX, NAME_BYTES_MAX } from "../message/limits.ts";
import { PROTOCOL_VERSION } from "../message/version.ts";
import type { Wire } from "../message/wire.ts";
import type { PlayerBudget } from "./budget/player-budget.ts";
import { clipText } from "./connection/clip-text.ts";
import { type Fault, limitFault, malformed, retryAfterMs } from "./connection/fault.ts";
import { type Arrival, otherVersion, type Terms, termsFor } from "./connection/handshake.ts";
import { Intake } from "./connection/intake.ts";
import { Outbox } from "./connection/outbox.ts";
import type { Account } from "./host-options.ts";
import type { HostParts } from "./host-parts.ts";
import type { HostSession } from "./host-session.ts";
import { Visit } from "./visit.ts";

/** Who looks after all sessions. */
export interface SessionOwner {
  /** The budget of a client that may come in, and then no other session has its id; or why it may not. */
  admit(session: ClientSession, arrival: Arrival): PlayerBudget | Fault;
  /** The client has come in. */
  joined(session: ClientSession): void;
  /** The session is over. */
  ended(session: ClientSession): void;
}

/** One connection, from its first byte: handshake, limits, goodbye. What a client does in between is its visit. */
export class ClientSession implements HostSession {
  /** Where the connection comes from, if that is known; anonymous players of one network share a budget. */
  readonly network: string | undefined;
  readonly #host: HostParts;
  readonly #owner: SessionOwner;
  readonly #out: Outbox;
  readonly #intake: Intake;
  readonly #startedMs: number;
  #hello: Hello | undefined;
  #visit: Visit | undefined;
  #account: Account | undefined;
  #isRecalling = false;
  #isClosed = false;

  constructor(host: HostParts, owner: SessionOwner, wire: Wire, network: string | undefined) {
    const nowMs = host.options.clock.nowMs();
    this.network = network;
    this.#host = host;
    this.#owner = owner;
    this.#out = new Outbox(wire, host.totals);
    this.#intake = new Intake(host.limits, nowMs);
    this.#startedMs = nowMs;
  }

  /** What the client does here; `undefined` before its welcome. */
  get visit(): Visit | undefined {
    return this.#visit;
  }

  get playerId(): bigint | undefined {
    return this.#visit?.player.playerId;
  }

  /** True while its welcome or regions wait to be sent to the client. */
  get isWaiting(): boolean {
    return this.#visit?.isWaiting === true;
  }

  receive(frame: Uint8Array): void {
    if (this.#isClosed) return;
    this.#guard(() => this.#receive(frame));
  }

  disconnected(): void {
    if (this.#isClosed) return;
    this.#end();
  }

  /** Ends the connection of a player whose account is not valid any longer. */
  checkAccount(): void {
    const account = this.#account;
    if (this.#isClosed || account === undefined) return;
    this.#guard(() => this.#host.options.checkAccount?.(account));
  }

  /** Begins a tick. */
  startTick(nowMs: number): void {
    this.checkAccount();
    if (this.#isClosed) return;
    const { limits } = this.#host;
    this.#guard(() => {
      if (nowMs - this.#intake.heardMs >= limits.idleMs) return limitFault("idleMs", limits, "idle");
      if (this.#visit !== undefined) return this.#visit.startTick(nowMs);
      // How long the world looks for a player is not up to the client.
      if (this.#isRecalling) return undefined;
      return nowMs - this.#startedMs >= limits.handshakeMs ? limitFault("handshakeMs", limits) : undefined;
    });
  }

  /** Takes over some more of what the client wants to hold. */
  lookFurther(nowMs: number): void {
    if (this.#isClosed) return;
    this.#guard(() => this.#visit?.lookFurther(nowMs));
  }

  /** Sends what the client gets in this tick. */
  write(nowMs: number): void {
    if (this.#isClosed) return;
    this.#guard(() => {
      this.#visit?.write(nowMs);
      return undefined;
    });
  }

  /** Says why the connection ends, and ends it. */
  goodbye(fault: Fault): void {
    if (this.#isClosed) return;
    this.#out.discard();
    const detail = clipText(fault.detail, DETAIL_BYTES_MAX);
    this.#out.write({ kind: "goodbye", reason: fault.reason, detail, retryAfterMs: retryAfterMs(fault) });
    this.#out.flush();
    this.#end();
    this.#out.close();
    this.#host.options.events?.onGoodbye?.(fault.reason, fault.limit);
  }

  #receive(frame: Uint8Array): Fault | undefined {
    const nowMs = this.#host.options.clock.nowMs();
    const { limits } = this.#host;
    const limit = this.#intake.frame(frame.length, nowMs, this.#visit !== undefined);
    if (limit !== undefined) return limitFault(limit, limits);
    if (this.#hello === undefined) {
      const version = readHelloVersion(frame);
      if (version !== undefined && version !== PROTOCOL_VERSION) return otherVersion(version);
    }
    const read = readFrame(frame);
    if ("reason" in read) return read;
    if (this.#visit === undefined) return this.#receiveEarly(read);
    if (!this.#visit.confirm(read.acknowledged, read.applied)) {
      return malformed("something is acknowledged that was never sent");
    }
    for (const message of read.messages) {
      const fault = this.#visit.take(message, nowMs);
      if (fault !== undefined || this.#isClosed) return fault;
    }
    return undefined;
  }

  /** Before the welcome there is nothing to say but hello, perhaps more than once. */
  #receiveEarly({ messages }: ClientFrame): Fault | undefined {
    for (const message of messages) {
      if (message.kind !== "hello") return malformed(`${message.kind} before the welcome`);
      if (this.#hello !== undefined) continue;
      const wrong = nameFault(message.name);
      if (wrong !== undefined) return malformed(wrong);
      const terms = termsFor(message, this.#host.world);
      if ("reason" in terms) return terms;
      this.#hello = message;
      void this.#authorize(message, terms);
    }
    return undefined;
  }

  async #authorize(hello: Hello, terms: Terms): Promise<void> {
    let account: Account;
    try {
      account = await this.#host.options.authorize(hello);
    } catch (error) {
      // Only our own errors are meant for the client's eyes.
      if (!isOrthantError(error)) this.#host.options.events?.onFailure?.(error);
      const detail = isOrthantError(error) ? error.detail : "who this is could not be found out";
      this.goodbye({ reason: "credentials", detail });
      return;
    }
    await this.#recall(account);
    if (this.#isClosed) return;
    this.#guard(() => {
      const { playerId, name } = account;
      // One that no message can hold would fail where others are told of the player, and with them.
      if (!isPlayerId(playerId)) {
        throw new OrthantError("ORT_ARGUMENT", `${playerId} is no id of a player: it has 64 bits`);
      }
      const wrong = nameFault(name);
      if (wrong !== undefined) return malformed(wrong);
      const clipped = { ...account, name: clipText(name, NAME_BYTES_MAX) };
      return this.#comeIn({ hello, account: clipped, terms });
    });
  }

  /** A world that cannot say where a player was lets them begin anew. */
  async #recall(account: Account | undefined): Promise<void> {
    const id: unknown = account?.playerId;
    // What is no account is refused when it comes in.
    if (typeof id !== "bigint" || !isPlayerId(id)) return;
    this.#isRecalling = true;
    try {
      await this.#host.world.recall?.(id);
    } catch (error) {
      this.#host.options.events?.onFailure?.(error);
    } finally {
      this.#isRecalling = false;
    }
  }

  #comeIn(arrival: Arrival): Fault | undefined {
    // Asked here and not before the world looked for the player: the account may have been revoked meanwhile.
    const admitted = this.#host.options.checkAccount?.(arrival.account) ?? this.#owner.admit(this, arrival);
    if ("reason" in admitted) return admitted;
    this.#account = arrival.account;
    const nowMs = this.#host.options.clock.nowMs();
    this.#visit = new Visit(this.#host, this.#out, this.#intake, arrival, admitted, nowMs);
    this.#owner.joined(this);
    return undefined;
  }

  /** Whatever goes wrong with one client is the end of that client, and of nobody else. */
  #guard(act: () => Fault | undefined): void {
    let fault: Fault | undefined;
    try {
      fault = act();
    } catch (error) {
      this.#host.options.events?.onFailure?.(error);
      fault = { reason: "failure", detail: "the server failed to do what was asked" };
    }
    if (fault !== undefined) this.goodbye(fault);
  }

  #end(): void {
    this.#isClosed = true;
    this.#out.abandon();
    try {
      this.#visit?.end(this.#host.options.clock.nowMs());
    } catch (error) {
      // The client is gone, whatever could not be kept of it.
      this.#host.options.events?.onFailure?.(error);
    }
    this.#owner.ended(this);
  }
}

function isPlayerId(id: bigint): boolean {
  return typeof id === "bigint" && BigInt.asUintN(64, id) === id;
}

function readFrame(frame: Uint8Array): ClientFrame | Fault {
  try {
    return decode(clientFrameCodec, frame);
  } catch (error) {
    if (isOrthantError(error)) return malformed(error.message);
    throw error;
  }
}
