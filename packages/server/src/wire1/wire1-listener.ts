import { createSocket, type Socket } from "node:dgram";
import { BlockList, isIP, isIPv6 } from "node:net";
import { OrthantError } from "@orthant/core";
import type { Role } from "@orthant/protocol";
import type { Account } from "@orthant/protocol/server";
import {
  type Wire1Address,
  type Wire1Counts,
  type Wire1Events,
  Wire1Recorder,
  Wire1Server,
  type Wire1ServerOptions,
} from "@orthant/protocol/wire1";
import type { Logger } from "pino";
import { wire1PlayerId } from "../auth/authorization.ts";
import { isLoopback } from "../http/addresses.ts";
import { listenError } from "../http/http-listener.ts";

/**
 * How players of Wire v1 join. The protocol has no authentication: any program that can send from an address
 * can act for it. So only this machine, or the listed addresses, may send.
 */
export interface Wire1Options {
  /** The UDP port; 0, the default, picks a free one. */
  readonly port?: number;
  /** The address to listen at; `127.0.0.1`, this machine alone, by default. Any other needs `allow`. */
  readonly host?: string;
  /** Allowed senders: addresses, or networks such as `10.0.0.0/24`. */
  readonly allow?: readonly string[];
  /** The role of its players; by default that of players without a token. Required if these may not join. */
  readonly role?: Role;
  /**
   * Receives the bytes of a recording, piece by piece: all datagrams from allowed senders, with their times.
   * `replayWire1InWorld` replays it.
   */
  readonly record?: (bytes: Uint8Array) => void;
  /** Called with a player's command that concerns the game. */
  readonly onCommand?: Wire1Events["onCommand"];
}

/** Bytes waiting for the network; further datagrams are dropped, as UDP permits. */
const SEND_QUEUE_BYTES_MAX = 4_194_304;
/** Size of the receive buffer for datagrams that arrive during a tick, as far as the system allows it. */
const RECEIVE_BUFFER_BYTES = 4_194_304;
/** Minimum interval between log lines about text messages of old clients. */
const LEGACY_LOG_MS = 60_000;

/** Everything that a listener works with. */
interface Wire1ListenerContext extends Omit<Wire1ServerOptions, "accountOf" | "send" | "events"> {
  readonly options: Wire1Options;
  /** The role of players without a token; `undefined` when they may not join. */
  readonly anonymous: Role | undefined;
  readonly log: Logger;
  readonly onError: (error: unknown, message: string) => void;
}

/** A UDP socket for the Wire v1 server behind it. */
export class Wire1Listener {
  /** The port it listens on. */
  readonly port: number;
  readonly #socket: Socket;
  readonly #server: Wire1Server;
  readonly #isAllowed: (address: string) => boolean;
  readonly #context: Wire1ListenerContext;
  #recorder: Wire1Recorder | undefined;
  #refusedSenders = 0;
  #legacyLoggedMs = Number.NEGATIVE_INFINITY;

  private constructor(
    context: Wire1ListenerContext,
    socket: Socket,
    isAllowed: (address: string) => boolean,
  ) {
    this.#context = context;
    this.#socket = socket;
    this.#isAllowed = isAllowed;
    this.port = socket.address().port;
    const { onCommand, record } = context.options;
    if (record !== undefined) {
      this.#record(() => {
        this.#recorder = new Wire1Recorder(record, context.time.nowMs());
      });
    }
    const role = roleOf(context);
    this.#server = new Wire1Server({
      ...context,
      accountOf: (playerId) => wire1Account(playerId, role),
      send: (to, datagram) => this.#send(to, datagram),
      events: {
        ...(onCommand && { onCommand }),
        onLegacy: (from) => this.#logLegacy(from),
        onFailure: (error) => context.onError(error, "a command of Wire v1 failed"),
      },
    });
    socket.on("message", (datagram, from) => this.#receive(from, datagram));
    // A client that is gone makes the next send fail; nothing can be done about that or other losses.
    socket.on("error", (error) => context.log.debug({ err: error }, "the socket of Wire v1 failed"));
    context.log.info({ port: this.port }, "listening for Wire v1");
  }

  /** Starts to listen. Throws `ORT_LISTEN` when it cannot, and `ORT_ARGUMENT` when any host could send. */
  static async listen(context: Wire1ListenerContext): Promise<Wire1Listener> {
    const { port = 0, host = "127.0.0.1", allow = [] } = context.options;
    if (!isLoopback(host) && allow.length === 0) {
      const detail = `Wire v1 at ${host} needs a list of addresses: it cannot authenticate senders`;
      throw new OrthantError("ORT_ARGUMENT", detail);
    }
    const isAllowed = allowList(allow);
    const type = isIPv6(host) ? "udp6" : "udp4";
    const socket = createSocket({ type, recvBufferSize: RECEIVE_BUFFER_BYTES });
    try {
      await bound(socket, port, host);
      return new Wire1Listener(context, socket, isAllowed);
    } catch (error) {
      socket.close();
      throw error;
    }
  }

  /** The counters so far; senders that are not on the list count as strangers. */
  get counts(): Wire1Counts {
    const { counts } = this.#server;
    return {
      ...counts,
      dropped: { ...counts.dropped, stranger: counts.dropped.stranger + this.#refusedSenders },
    };
  }

  /** Sends every client what it lacks. */
  tick(): void {
    this.#record(() => this.#recorder?.tick(this.#context.time.nowMs()));
    this.#server.tick();
  }

  /** Ends all sessions and stops listening. */
  async close(): Promise<void> {
    this.#server.close();
    await new Promise<void>((resolve) => this.#socket.close(() => resolve()));
  }

  #receive({ address, port }: Wire1Address, datagram: Buffer): void {
    if (!this.#isAllowed(address)) {
      this.#refusedSenders++;
      return;
    }
    // Not a Buffer: its `slice` does not copy.
    const bytes = new Uint8Array(datagram.buffer, datagram.byteOffset, datagram.length);
    this.#record(() => this.#recorder?.datagram({ address, port }, bytes, this.#context.time.nowMs()));
    this.#server.receive({ address, port }, bytes);
  }

  /** A failing recording ends, and the game continues. */
  #record(write: () => void): void {
    try {
      write();
    } catch (error) {
      this.#recorder = undefined;
      this.#context.onError(error, "the recording of Wire v1 failed and ends");
    }
  }

  #send({ address, port }: Wire1Address, datagram: Uint8Array): void {
    if (queuedBytes(this.#socket) > SEND_QUEUE_BYTES_MAX) return;
    this.#socket.send(datagram, port, address, ignoreError);
  }

  #logLegacy(from: Wire1Address): void {
    const { log, time } = this.#context;
    const nowMs = time.nowMs();
    if (nowMs - this.#legacyLoggedMs < LEGACY_LOG_MS) return;
    this.#legacyLoggedMs = nowMs;
    log.warn(from, "a text message from before Wire v1 came and was dropped; that client has to be updated");
  }
}

/** Players of Wire v1 have no token: where such players may not join, the options must name a role. */
function roleOf({ options, anonymous }: Wire1ListenerContext): Role {
  const role = options.role ?? anonymous;
  if (role !== undefined) return role;
  throw new OrthantError("ORT_ARGUMENT", "wire1 needs a role: players without a token may not join here");
}

/** Returns the account of a player of Wire v1. */
export function wire1Account(playerId: number, role: Role): Account {
  return { playerId: wire1PlayerId(playerId), role, name: `tile player ${playerId}`, isAnonymous: true };
}

async function bound(socket: Socket, port: number, host: string): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    const fail = (cause: unknown): void => reject(listenError(`${host}, UDP port ${port}`, cause));
    socket.once("error", fail);
    socket.bind({ port, address: host, exclusive: true }, () => {
      socket.off("error", fail);
      resolve();
    });
  });
}

/** Returns the bytes that wait for the network; 0 on Deno, which cannot tell. */
function queuedBytes(socket: Partial<Pick<Socket, "getSendQueueSize">>): number {
  return socket.getSendQueueSize?.() ?? 0;
}

/** The socket's own `error` event reports the same. */
function ignoreError(): void {
  // A lost datagram is sent again later.
}

/**
 * Returns whether datagrams from an address are accepted: those on the list or, without a list, those of this
 * machine. Throws `ORT_ARGUMENT` for an entry that is neither an address nor a network.
 */
function allowList(entries: readonly string[]): (address: string) => boolean {
  if (entries.length === 0) return isLoopback;
  const list = new BlockList();
  for (const entry of entries) addEntry(list, entry);
  return (address) => list.check(address, familyOf(address));
}

function addEntry(list: BlockList, entry: string): void {
  const [address = "", prefix, ...rest] = entry.split("/");
  const bitsMax = isIPv6(address) ? 128 : 32;
  const bits = prefix === undefined ? bitsMax : Number(prefix === "" ? Number.NaN : prefix);
  if (isIP(address) === 0 || rest.length > 0 || !Number.isInteger(bits) || bits < 0 || bits > bitsMax) {
    throw new OrthantError("ORT_ARGUMENT", `"${entry}" is not an address, nor a network such as 10.0.0.0/24`);
  }
  list.addSubnet(address, bits, familyOf(address));
}

function familyOf(address: string): "ipv4" | "ipv6" {
  return isIPv6(address) ? "ipv6" : "ipv4";
}
