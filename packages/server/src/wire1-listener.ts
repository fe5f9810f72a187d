import { createSocket, type Socket } from "node:dgram";
import { isIPv6 } from "node:net";
import { OrthantError } from "@orthant/core";
import {
  type Account,
  type DoorOptions,
  type Role,
  type Wire1Address,
  type Wire1Counts,
  Wire1Door,
  Wire1Recorder,
} from "@orthant/protocol";
import type { Logger } from "pino";
import { allowList } from "./allow-list.ts";
import { wire1PlayerId } from "./authorization.ts";
import { isLoopback } from "./client-address.ts";
import { listenError } from "./listen-error.ts";
import type { Wire1Options } from "./wire1-options.ts";

/** Bytes waiting for the network; further datagrams are dropped, as UDP permits. */
const SEND_QUEUE_BYTES_MAX = 4_194_304;
/** Size of the receive buffer for datagrams that arrive during a tick, as far as the system allows it. */
const RECEIVE_BUFFER_BYTES = 4_194_304;
/** Minimum interval between log lines about text messages of old clients. */
const LEGACY_LOG_MS = 60_000;

/** The parts of a listener. */
export interface Wire1ListenerParts extends Omit<DoorOptions, "accountOf" | "send" | "events"> {
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
  readonly #door: Wire1Door;
  readonly #mayCome: (address: string) => boolean;
  readonly #parts: Wire1ListenerParts;
  #recorder: Wire1Recorder | undefined;
  #strangers = 0;
  #legacyLoggedMs = Number.NEGATIVE_INFINITY;

  private constructor(parts: Wire1ListenerParts, socket: Socket, mayCome: (address: string) => boolean) {
    this.#parts = parts;
    this.#socket = socket;
    this.#mayCome = mayCome;
    this.port = socket.address().port;
    const { onCommand, record } = parts.options;
    if (record !== undefined) {
      this.#record(() => {
        this.#recorder = new Wire1Recorder(record, parts.clock.nowMs());
      });
    }
    const role = roleOf(parts);
    this.#door = new Wire1Door({
      ...parts,
      accountOf: (playerId) => accountOf(playerId, role),
      send: (to, datagram) => this.#send(to, datagram),
      events: {
        ...(onCommand && { onCommand }),
        onLegacy: (from) => this.#logLegacy(from),
        onFailure: (error) => parts.onError(error, "a command of Wire v1 failed"),
      },
    });
    socket.on("message", (datagram, from) => this.#receive(from, datagram));
    // A client that is gone makes the next send fail; nothing can be done about that or other losses.
    socket.on("error", (error) => parts.log.debug({ err: error }, "the socket of Wire v1 failed"));
    parts.log.info({ port: this.port }, "listening for Wire v1");
  }

  /** Starts to listen. Throws `ORT_LISTEN` when it cannot, and `ORT_ARGUMENT` when any host could send. */
  static async listen(parts: Wire1ListenerParts): Promise<Wire1Listener> {
    const { port = 0, host = "127.0.0.1", allow = [] } = parts.options;
    if (!isLoopback(host) && allow.length === 0) {
      const detail = `Wire v1 at ${host} needs a list of addresses: it cannot tell who sends, and anybody could`;
      throw new OrthantError("ORT_ARGUMENT", detail);
    }
    const mayCome = allowList(allow);
    const type = isIPv6(host) ? "udp6" : "udp4";
    const socket = createSocket({ type, recvBufferSize: RECEIVE_BUFFER_BYTES });
    try {
      await bound(socket, port, host);
      return new Wire1Listener(parts, socket, mayCome);
    } catch (error) {
      socket.close();
      throw error;
    }
  }

  /** The counters so far; senders that are not on the list count as strangers. */
  get counts(): Wire1Counts {
    const { counts } = this.#door;
    return { ...counts, dropped: { ...counts.dropped, stranger: counts.dropped.stranger + this.#strangers } };
  }

  /** Sends every client what it lacks. */
  tick(): void {
    this.#record(() => this.#recorder?.tick(this.#parts.clock.nowMs()));
    this.#door.tick();
  }

  /** Ends all sessions and stops listening. */
  async close(): Promise<void> {
    this.#door.close();
    await new Promise<void>((resolve) => this.#socket.close(() => resolve()));
  }

  #receive({ address, port }: Wire1Address, datagram: Buffer): void {
    if (!this.#mayCome(address)) {
      this.#strangers++;
      return;
    }
    // Not a Buffer: its `slice` does not copy.
    const bytes = new Uint8Array(datagram.buffer, datagram.byteOffset, datagram.length);
    this.#record(() => this.#recorder?.datagram({ address, port }, bytes, this.#parts.clock.nowMs()));
    this.#door.receive({ address, port }, bytes);
  }

  /** A failing recording ends, and the game continues. */
  #record(write: () => void): void {
    try {
      write();
    } catch (error) {
      this.#recorder = undefined;
      this.#parts.onError(error, "the recording of Wire v1 failed and ends");
    }
  }

  #send({ address, port }: Wire1Address, datagram: Uint8Array): void {
    if (this.#socket.getSendQueueSize() > SEND_QUEUE_BYTES_MAX) return;
    this.#socket.send(datagram, port, address, ignoreError);
  }

  #logLegacy(from: Wire1Address): void {
    const { log, clock } = this.#parts;
    const nowMs = clock.nowMs();
    if (nowMs - this.#legacyLoggedMs < LEGACY_LOG_MS) return;
    this.#legacyLoggedMs = nowMs;
    log.warn(from, "a text message from before Wire v1 came and was dropped; that client has to be updated");
  }
}

/** Players of Wire v1 have no token: where such players may not join, the options must name a role. */
function roleOf({ options, anonymous }: Wire1ListenerParts): Role {
  const role = options.role ?? anonymous;
  if (role !== undefined) return role;
  throw new OrthantError("ORT_ARGUMENT", "wire1 needs a role: players without a token may not come in here");
}

function accountOf(playerId: number, role: Role): Account {
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

/** The socket's own `error` event reports the same. */
function ignoreError(): void {
  // A lost datagram is sent again later.
}
