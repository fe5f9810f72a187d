import type { Duplex } from "node:stream";
import type { TimeSource } from "@orthant/core";
import { TokenBucket } from "@orthant/core/time";
import type { CloseReason, GoodbyeReason, Wire } from "@orthant/protocol";
import type { ServerSession, SyncServer } from "@orthant/protocol/server";
import type { Logger } from "pino";
import type { RawData, WebSocket } from "ws";
import { networkOf } from "./http/addresses.ts";
import { binaryMessage, JOINED_BYTES_MAX } from "./http/binary-message.ts";
import type { RefusalName } from "./http/connection-limiter.ts";
import type { Limits } from "./http/limits.ts";
import type { ServerMetrics } from "./metrics/server-metrics.ts";

/** A connection whose peer may not read. */
interface BackloggedConnection {
  /** Bytes that wait in memory for the client to read them. */
  readonly waitingBytes: number;
  /** Drops the connection because too many bytes wait for all connections together. */
  dropForBacklog(): void;
}

/**
 * Bytes waiting in memory for clients to read them. Above a total, drops the connection with the most. A connection is
 * counted when it sends, and again before any is dropped: what clients have read since then does not count.
 */
export class SendBacklog {
  readonly #bytesMax: number;
  readonly #bytesOf = new Map<BackloggedConnection, number>();
  #bytes = 0;

  constructor(bytesMax: number) {
    this.#bytesMax = bytesMax;
  }

  /** Sets the number of bytes that wait for a connection. */
  set(connection: BackloggedConnection, bytes: number): void {
    const known = this.#bytesOf.get(connection) ?? 0;
    if (bytes === known) return;
    this.#bytes += bytes - known;
    if (bytes === 0) this.#bytesOf.delete(connection);
    else this.#bytesOf.set(connection, bytes);
    if (this.#bytes > this.#bytesMax) this.#countAll();
    while (this.#bytes > this.#bytesMax) this.#dropLargest();
  }

  #countAll(): void {
    this.#bytes = 0;
    for (const connection of this.#bytesOf.keys()) {
      const bytes = connection.waitingBytes;
      this.#bytes += bytes;
      if (bytes === 0) this.#bytesOf.delete(connection);
      else this.#bytesOf.set(connection, bytes);
    }
  }

  #dropLargest(): void {
    let largest: BackloggedConnection | undefined;
    let most = 0;
    for (const [connection, bytes] of this.#bytesOf) {
      if (bytes <= most) continue;
      most = bytes;
      largest = connection;
    }
    if (largest === undefined) return;
    this.#bytesOf.delete(largest);
    this.#bytes -= most;
    largest.dropForBacklog();
  }
}

/** Shared by all connections of a server. */
export interface ConnectionContext {
  readonly sync: SyncServer;
  readonly limits: Limits;
  readonly time: TimeSource;
  readonly metrics: ServerMetrics;
  readonly backlog: SendBacklog;
  /** Called before each frame. */
  readonly onFrame: () => void;
  /** Whether all clients are on this machine, where anonymous players share no budget. */
  readonly trustsMachine: boolean;
}

/** Close codes of RFC 6455 and its registry, for programs that see only the code of a goodbye. */
const CLOSE_CODES: Record<GoodbyeReason, number> = {
  version: 1008,
  features: 1008,
  credentials: 1008,
  malformed: 1002,
  limit: 1008,
  replaced: 1000,
  kicked: 1008,
  idle: 1000,
  slow: 1013,
  shutdown: 1012,
  failure: 1011,
};
const POLICY_CLOSE_CODE = 1008;
const FAILURE_CLOSE_CODE = 1011;
/** Bun replaces the package `ws` with a WebSocket of its own, which does not write to the stream. */
const JOINS_HEADERS = !("bun" in process.versions);
const TEXT_MESSAGE = new Uint8Array(0);

/** Carries the frames of one client between its socket and the sync server. */
export class Connection implements BackloggedConnection, Wire {
  readonly #socket: WebSocket;
  /** The stream below the socket, whose messages are neither compressed nor in fragments. */
  readonly #stream: Duplex;
  readonly #context: ConnectionContext;
  readonly #log: Logger;
  readonly #pings: TokenBucket;
  readonly #session: ServerSession;
  #isClosed = false;
  /** Why the session ended the connection, if it did. */
  #closeReason: CloseReason | undefined;
  #refusal: RefusalName | undefined;
  #ended = false;
  #hadBacklog = false;
  #bytesIn = 0;
  #bytesOut = 0;

  constructor(
    socket: WebSocket,
    stream: Duplex,
    address: string,
    context: ConnectionContext,
    log: Logger,
    onClosed: () => void,
  ) {
    this.#socket = socket;
    this.#stream = stream;
    this.#context = context;
    this.#log = log;
    const { limits, time, sync } = context;
    this.#pings = new TokenBucket(limits.pingsPerSecond, limits.pingsPerSecond, time.nowMs());
    this.#session = sync.connect(this, context.trustsMachine ? undefined : networkOf(address));
    socket.on("message", (data, isBinary) => this.#receive(data, isBinary));
    socket.on("ping", (data) => this.#answerPing(data));
    socket.on("pong", () => this.#countPing());
    socket.on("error", (error) => this.#countError(error));
    socket.on("close", (code) => {
      this.#ended = true;
      this.#isClosed = true;
      this.#noteBacklog();
      this.#session.disconnected();
      this.#logClosed(code);
      onClosed();
    });
    log.info("connection opened");
  }

  get waitingBytes(): number {
    return this.#isClosed ? 0 : this.#socket.bufferedAmount;
  }

  /** Drops the connection and everything not yet sent. */
  terminate(): void {
    this.#ended = true;
    this.#isClosed = true;
    this.#noteBacklog();
    this.#socket.terminate();
  }

  #receive(data: RawData, isBinary: boolean): void {
    const { metrics, onFrame } = this.#context;
    onFrame();
    if (this.#ended) return;
    const bytes = data as Buffer; // the type of a whole message by default
    this.#bytesIn += bytes.length;
    metrics.frame("in", bytes.length);
    try {
      // A plain Uint8Array, because Buffer.slice shares memory. Text becomes an empty frame, which is refused.
      this.#session.receive(
        isBinary ? new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.length) : TEXT_MESSAGE,
      );
    } catch (error) {
      metrics.error();
      this.#log.error({ err: error }, "a frame could not be handled");
      this.#end(FAILURE_CLOSE_CODE, "failure");
    }
  }

  /** Sends a frame of the session. */
  send(frame: Uint8Array): void {
    // The client may have closed the socket.
    if (this.#ended || this.#socket.readyState !== this.#socket.OPEN) return;
    this.#bytesOut += frame.length;
    this.#context.metrics.frame("out", frame.length);
    if (JOINS_HEADERS && frame.length <= JOINED_BYTES_MAX) this.#stream.write(binaryMessage(frame));
    else this.#socket.send(frame);
    const bytes = this.#noteBacklog();
    if (bytes <= this.#context.limits.sendBacklogBytesMax) return;
    this.#refuse("sendBacklogBytesMax");
    this.terminate();
  }

  #noteBacklog(): number {
    const bytes = this.waitingBytes;
    if (bytes > 0 || this.#hadBacklog) this.#context.backlog.set(this, bytes);
    this.#hadBacklog = bytes > 0;
    return bytes;
  }

  dropForBacklog(): void {
    this.#refuse("sendBacklogTotalBytesMax");
    this.terminate();
  }

  /** Closes the socket as the session wants. */
  close(reason: CloseReason): void {
    this.#closeReason = reason;
    this.#end(CLOSE_CODES[reason.reason], reason.reason);
  }

  #end(code: number, reason: string): void {
    if (this.#ended) return;
    this.#ended = true;
    this.#socket.close(code, reason);
  }

  #answerPing(data: Buffer): void {
    if (this.#countPing()) this.#socket.pong(data, false, ignoreError);
  }

  #countPing(): boolean {
    if (this.#ended) return false;
    if (this.#pings.take(1, this.#context.time.nowMs())) return true;
    this.#refuse("pingsPerSecond");
    this.#end(POLICY_CLOSE_CODE, "pingsPerSecond");
    return false;
  }

  /** The library has closed the socket with a code that says what was wrong. */
  #countError(error: Error & { readonly code?: string }): void {
    const name = refusalOf(error.code ?? "");
    if (name !== undefined) this.#refuse(name);
  }

  #refuse(name: RefusalName): void {
    this.#refusal ??= name;
    this.#context.metrics.refused(name);
  }

  #logClosed(code: number): void {
    const { reason, detail } = this.#closeReason ?? {};
    const limit = this.#refusal;
    const player = this.#session.playerId?.toString();
    const bytes = { bytesIn: this.#bytesIn, bytesOut: this.#bytesOut };
    this.#log.info({ code, player, reason, detail, limit, ...bytes }, "connection closed");
  }
}

function refusalOf(code: string): RefusalName | undefined {
  if (!code.startsWith("WS_ERR_")) return undefined; // a failing network is not the client's fault
  if (code === "WS_ERR_UNSUPPORTED_MESSAGE_LENGTH") return "frameBytesMax";
  if (code === "WS_ERR_UNSUPPORTED_DATA_PAYLOAD_LENGTH") return "frameBytesMax";
  return code === "WS_ERR_TOO_MANY_BUFFERED_PARTS" ? "fragmentsMax" : "webSocket";
}

/** A socket that fails to send closes, and the close handler deals with it. */
function ignoreError(): void {}
