import { OrthantError, TILE_CHUNKS } from "@orthant/core";
import { bytesEqual, encode } from "@orthant/core/bytes";
import { positionsEqual } from "@orthant/core/lattice";
import { countDatagram, datagramCounts, type Wire1Drop } from "../drop-counts.ts";
import {
  isFromServer,
  isText,
  readDatagram,
  type Wire1Control,
  type Wire1Message,
  wire1Codec,
} from "../message/wire1-message.ts";
import { LISTENED_MS_MAX } from "../wire1-limits.ts";
import { SendSchedule } from "./chunk-copies.ts";
import { TileFeed } from "./tile-feed.ts";
import { Wire1Handshakes } from "./wire1-handshakes.ts";
import { keyOf, type Wire1Address, type Wire1ServerOptions } from "./wire1-server-options.ts";
import { type Wire1Context, Wire1Session } from "./wire1-session.ts";

/** Counters of Wire v1. */
export interface Wire1Counts {
  readonly sessions: number;
  /** Addresses that are not proven yet. */
  readonly handshakes: number;
  /** Received datagrams that had an effect. */
  readonly taken: number;
  /** Received datagrams that had no effect, by reason. */
  readonly dropped: Readonly<Record<Wire1Drop, number>>;
  readonly sentDatagrams: number;
  readonly sentBytes: number;
}

const CONTROL_DATAGRAMS: Readonly<Record<Wire1Control, Uint8Array>> = {
  syn: encode(wire1Codec, { kind: "control", control: "syn" }),
  ack: encode(wire1Codec, { kind: "control", control: "ack" }),
  heartbeat: encode(wire1Codec, { kind: "control", control: "heartbeat" }),
};

/**
 * Serves a world of tiles to Wire v1 players, with one session per address. Takes datagrams and time, and
 * emits datagrams; it owns no socket and no timer. Rules W30 to W42 in docs/formats/wire-v1.md.
 */
export class Wire1Server {
  readonly #parts: Wire1Context;
  readonly #handshakes: Wire1Handshakes;
  readonly #counts = datagramCounts();
  readonly #sessions = new Map<string, Wire1Session>();
  readonly #sessionsByAddress = new Map<string, number>();
  #sentDatagrams = 0;
  #sentBytes = 0;
  #tickedMs: number;

  /** Throws `ORT_ARGUMENT` for a world whose chunks are not 32 x 32 tiles. */
  constructor(options: Wire1ServerOptions) {
    const { world, time, limits } = options;
    if (!positionsEqual(world.shape.extents, TILE_CHUNKS.extents)) {
      const found = world.shape.extents.join(" x ");
      throw new OrthantError("ORT_ARGUMENT", `Wire v1 has chunks of 32 x 32 tiles, and this world ${found}`);
    }
    const nowMs = time.nowMs();
    this.#tickedMs = nowMs;
    this.#handshakes = new Wire1Handshakes(limits, nowMs);
    this.#parts = {
      options,
      feed: new TileFeed(world, () => time.nowMs()),
      schedule: new SendSchedule(nowMs),
      players: new Set(),
      say: (to, control) => this.#send(to, CONTROL_DATAGRAMS[control]),
    };
  }

  get counts(): Wire1Counts {
    return {
      sessions: this.#sessions.size,
      handshakes: this.#handshakes.size,
      taken: this.#counts.accepted,
      dropped: this.#counts.dropped,
      sentDatagrams: this.#sentDatagrams,
      sentBytes: this.#sentBytes,
    };
  }

  /** Handles a datagram of any content. Never throws. */
  receive(from: Wire1Address, datagram: Uint8Array): void {
    let drop: Wire1Drop | undefined;
    try {
      drop = this.#receive(from, datagram);
    } catch (error) {
      // A failure with one datagram must not affect other players.
      this.#parts.options.events?.onFailure?.(error);
      drop = "failure";
    }
    countDatagram(this.#counts, drop);
  }

  /** Sends each session the chunks it lacks, without waiting. */
  tick(): void {
    const nowMs = this.#parts.options.time.nowMs();
    this.#handshakes.clean(nowMs);
    const listenedMs = Math.min(LISTENED_MS_MAX, nowMs - this.#tickedMs);
    this.#tickedMs = nowMs;
    for (const [key, session] of this.#sessions) {
      if (!session.tick(nowMs, listenedMs)) this.#end(key, session);
    }
    this.#sendChunks(nowMs);
  }

  /** Ends all sessions. Wire v1 cannot announce that. */
  close(): void {
    for (const [key, session] of this.#sessions) this.#end(key, session);
    this.#parts.feed.close();
  }

  #receive(from: Wire1Address, datagram: Uint8Array): Wire1Drop | undefined {
    const nowMs = this.#parts.options.time.nowMs();
    const key = keyOf(from);
    const session = this.#sessions.get(key);
    const isKnown = session !== undefined || this.#handshakes.has(key);
    // From an unknown address only a SYN or a text message matters, so nothing else is read.
    if (!isKnown && !isSyn(datagram) && !isText(datagram)) return "stranger";
    const mayRead = session === undefined ? this.#handshakes.mayRead(key, nowMs) : session.mayRead(nowMs);
    if (!mayRead) return "rate";
    if (isFromServer(datagram)) return "direction";
    const read = readDatagram(datagram);
    if ("stage" in read) {
      if (read.stage === "legacy") this.#parts.options.events?.onLegacy?.(from);
      return read.stage;
    }
    return session === undefined
      ? this.#receiveWithoutSession(key, from, read, datagram.length, nowMs)
      : session.take(read, nowMs);
  }

  /** Handles a message from an address without a session. */
  #receiveWithoutSession(
    key: string,
    from: Wire1Address,
    message: Wire1Message,
    bytes: number,
    nowMs: number,
  ): Wire1Drop | undefined {
    const control = message.kind === "control" ? message.control : undefined;
    if (!this.#hasRoomFor(from)) return "full";
    const { answers, isProven } = this.#handshakes.receive(key, control, bytes, nowMs);
    for (const answer of answers) this.#parts.say(from, answer);
    if (!isProven) return control === undefined ? "unproven" : undefined;
    this.#sessions.set(key, new Wire1Session(this.#parts, from, nowMs));
    this.#sessionsByAddress.set(from.address, (this.#sessionsByAddress.get(from.address) ?? 0) + 1);
    return undefined;
  }

  #hasRoomFor({ address }: Wire1Address): boolean {
    const { wire1SessionsMax, wire1SessionsPerAddress } = this.#parts.options.limits;
    const here = this.#sessionsByAddress.get(address) ?? 0;
    return this.#sessions.size < wire1SessionsMax && here < wire1SessionsPerAddress;
  }

  #end(key: string, session: Wire1Session): void {
    const { address } = session.from;
    this.#sessions.delete(key);
    const left = (this.#sessionsByAddress.get(address) ?? 1) - 1;
    if (left > 0) this.#sessionsByAddress.set(address, left);
    else this.#sessionsByAddress.delete(address);
    session.end();
  }

  #sendChunks(nowMs: number): void {
    const { feed, schedule, options } = this.#parts;
    let budgetBytes = options.limits.wire1BytesPerTick;
    feed.startTick();
    for (const copy of schedule.takeDue(nowMs)) {
      const { chunk, session } = copy;
      if (chunk === undefined) continue;
      const datagram = budgetBytes > 0 && session.maySend ? feed.datagramOf(chunk) : undefined;
      if (datagram === undefined) {
        schedule.putBack(copy);
        continue;
      }
      budgetBytes -= datagram.length;
      session.spend(datagram.length);
      this.#send(session.from, datagram);
      schedule.sendAt(copy, nowMs + copy.sent(nowMs));
    }
  }

  #send(to: Wire1Address, datagram: Uint8Array): void {
    this.#sentDatagrams++;
    this.#sentBytes += datagram.length;
    this.#parts.options.send(to, datagram);
  }
}

function isSyn(datagram: Uint8Array): boolean {
  const { syn } = CONTROL_DATAGRAMS;
  return bytesEqual(datagram, syn);
}
