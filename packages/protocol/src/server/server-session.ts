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
import type { ServerConnection } from "./server-connection.ts";
import type { ServerContext } from "./server-context.ts";
import type { Account } from "./sync-server-options.ts";
import { Visit } from "./visit.ts";

/** The owner of all sessions. */
export interface SessionOwner {
  /** Returns the budget of an admitted client, whose id no other session then has, or why it is refused. */
  admit(session: ServerSession, arrival: Arrival): PlayerBudget | Fault;
  /** The client has joined. */
  joined(session: ServerSession): void;
  /** The session is over. */
  ended(session: ServerSession): void;
}

/** One connection from its first byte: handshake, limits, goodbye. Its visit is the part after joining. */
export class ServerSession implements ServerConnection {
  /** The network of the connection, if known. Anonymous players of one network share a budget. */
  readonly network: string | undefined;
  readonly #context: ServerContext;
  readonly #owner: SessionOwner;
  readonly #out: Outbox;
  readonly #intake: Intake;
  readonly #startedMs: number;
  #hello: Hello | undefined;
  #visit: Visit | undefined;
  #account: Account | undefined;
  #isRecalling = false;
  #isClosed = false;

  constructor(context: ServerContext, owner: SessionOwner, wire: Wire, network: string | undefined) {
    const nowMs = context.options.clock.nowMs();
    this.network = network;
    this.#context = context;
    this.#owner = owner;
    this.#out = new Outbox(wire, context.totals);
    this.#intake = new Intake(context.limits, nowMs);
    this.#startedMs = nowMs;
  }

  /** The client's activity after the welcome; `undefined` before it. */
  get visit(): Visit | undefined {
    return this.#visit;
  }

  get playerId(): bigint | undefined {
    return this.#visit?.player.playerId;
  }

  /** True while the client's welcome or regions wait to be sent. */
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

  /** Ends the connection if the player's account is no longer valid. */
  checkAccount(): void {
    const account = this.#account;
    if (this.#isClosed || account === undefined) return;
    this.#guard(() => this.#context.options.checkAccount?.(account));
  }

  /** Begins a tick. */
  startTick(nowMs: number): void {
    this.checkAccount();
    if (this.#isClosed) return;
    const { limits } = this.#context;
    this.#guard(() => {
      if (nowMs - this.#intake.heardMs >= limits.idleMs) return limitFault("idleMs", limits, "idle");
      if (this.#visit !== undefined) return this.#visit.startTick(nowMs);
      // The handshake timeout excludes the server's own player lookup.
      if (this.#isRecalling) return undefined;
      return nowMs - this.#startedMs >= limits.handshakeMs ? limitFault("handshakeMs", limits) : undefined;
    });
  }

  /** Applies another part of the client's interest. */
  lookFurther(nowMs: number): void {
    if (this.#isClosed) return;
    this.#guard(() => this.#visit?.lookFurther(nowMs));
  }

  /** Sends the client's messages for this tick. */
  write(nowMs: number): void {
    if (this.#isClosed) return;
    this.#guard(() => {
      this.#visit?.write(nowMs);
      return undefined;
    });
  }

  /** Sends the reason and ends the connection. */
  goodbye(fault: Fault): void {
    if (this.#isClosed) return;
    this.#out.discard();
    const detail = clipText(fault.detail, DETAIL_BYTES_MAX);
    this.#out.write({ kind: "goodbye", reason: fault.reason, detail, retryAfterMs: retryAfterMs(fault) });
    this.#out.flush();
    this.#end();
    this.#out.close();
    this.#context.options.events?.onGoodbye?.(fault.reason, fault.limit);
  }

  #receive(frame: Uint8Array): Fault | undefined {
    const nowMs = this.#context.options.clock.nowMs();
    const { limits } = this.#context;
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

  /** Handles a frame before the welcome, which may contain only hellos, perhaps repeated. */
  #receiveEarly({ messages }: ClientFrame): Fault | undefined {
    for (const message of messages) {
      if (message.kind !== "hello") return malformed(`${message.kind} before the welcome`);
      if (this.#hello !== undefined) continue;
      const wrong = nameFault(message.name);
      if (wrong !== undefined) return malformed(wrong);
      const terms = termsFor(message, this.#context.world);
      if ("reason" in terms) return terms;
      this.#hello = message;
      void this.#authorize(message, terms);
    }
    return undefined;
  }

  async #authorize(hello: Hello, terms: Terms): Promise<void> {
    let account: Account;
    try {
      account = await this.#context.options.authorize(hello);
    } catch (error) {
      // Only our own errors are meant for the client.
      if (!isOrthantError(error)) this.#context.options.events?.onFailure?.(error);
      const detail = isOrthantError(error) ? error.detail : "who this is could not be found out";
      this.goodbye({ reason: "credentials", detail });
      return;
    }
    await this.#recall(account);
    if (this.#isClosed) return;
    this.#guard(() => {
      const { playerId, name } = account;
      // An id that no message can hold would fail when other clients are sent the player.
      if (!isPlayerId(playerId)) {
        throw new OrthantError("ORT_ARGUMENT", `${playerId} is no id of a player: it has 64 bits`);
      }
      const wrong = nameFault(name);
      if (wrong !== undefined) return malformed(wrong);
      const clipped = { ...account, name: clipText(name, NAME_BYTES_MAX) };
      return this.#comeIn({ hello, account: clipped, terms });
    });
  }

  /** Waits until the world knows the player's last pose. If that fails, the player starts at the spawn. */
  async #recall(account: Account | undefined): Promise<void> {
    const id: unknown = account?.playerId;
    // An invalid account is refused later, at the join.
    if (typeof id !== "bigint" || !isPlayerId(id)) return;
    this.#isRecalling = true;
    try {
      await this.#context.world.recall?.(id);
    } catch (error) {
      this.#context.options.events?.onFailure?.(error);
    } finally {
      this.#isRecalling = false;
    }
  }

  #comeIn(arrival: Arrival): Fault | undefined {
    // Checked here, after the player lookup, because the account may have been revoked meanwhile.
    const admitted =
      this.#context.options.checkAccount?.(arrival.account) ?? this.#owner.admit(this, arrival);
    if ("reason" in admitted) return admitted;
    this.#account = arrival.account;
    const nowMs = this.#context.options.clock.nowMs();
    this.#visit = new Visit(this.#context, this.#out, this.#intake, arrival, admitted, nowMs);
    this.#owner.joined(this);
    return undefined;
  }

  /** Runs `act`. Any failure with one client ends only that client's connection. */
  #guard(act: () => Fault | undefined): void {
    let fault: Fault | undefined;
    try {
      fault = act();
    } catch (error) {
      this.#context.options.events?.onFailure?.(error);
      fault = { reason: "failure", detail: "the server failed to do what was asked" };
    }
    if (fault !== undefined) this.goodbye(fault);
  }

  #end(): void {
    this.#isClosed = true;
    this.#out.abandon();
    try {
      this.#visit?.end(this.#context.options.clock.nowMs());
    } catch (error) {
      // The client is gone even if its state could not be stored.
      this.#context.options.events?.onFailure?.(error);
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
