import { TILE_CHUNKS, type TimeSource } from "@orthant/core";
import { encode } from "@orthant/core/bytes";
import { TILE_CHUNK_EDGE, type TileChunk } from "@orthant/core/chunk";
import { floorDivide, PositionMap, PositionSet, voxelIndex } from "@orthant/core/lattice";
import { countDatagram, datagramCounts, type Wire1Drop } from "../drop-counts.ts";
import type { LoadChunk, SetTile, Wire1Command } from "../message/wire1-command.ts";
import { readDatagram, type Wire1Control, type Wire1Message, wire1Codec } from "../message/wire1-message.ts";
import {
  CONNECT_MS_MAX,
  HEARTBEAT_MS,
  LISTENED_MS_MAX,
  PROBE_MS_MAX,
  PROBE_MS_MIN,
  SILENCE_MS_MAX,
} from "../wire1-limits.ts";
import { OpenRequests } from "./open-requests.ts";

/** Connection state of a client. */
export type Wire1Status = "disconnected" | "connecting" | "connected";

/** Options of a Wire v1 client. */
export interface Wire1ClientOptions {
  /** Only `nowMs` is used; the caller drives ticks. */
  readonly time: TimeSource;
  /** From 1 to 2^32 - 1. */
  readonly playerId: number;
  /** Takes ownership of the bytes of one datagram. */
  readonly send: (datagram: Uint8Array) => void;
  readonly onStatus?: (status: Wire1Status) => void;
  /** A chunk arrived. It may be unchanged. */
  readonly onChunk?: (chunk: TileChunk) => void;
}

/** Maximum number of held chunks, and of chunks remembered as unwanted. The client drops any beyond it. */
const CHUNKS_HELD_MAX = 4_096;
/** Commands of each kind sent per tick. A larger burst would only fill buffers on the way and be lost. */
const COMMANDS_PER_TICK = 4;
/** Number of requests for a tile after which it counts as refused. */
const TILE_ATTEMPTS_MAX = 6;
/** Silence after which a chunk is requested again; a server sends each chunk at least once per minute. */
const FORGOTTEN_MS = 75_000;
/** Interval between checks for such chunks. */
const CHECK_MS = 5_000;
/** Time without a session before the next attempt to connect. */
const RECONNECT_MS = 2_000;

/**
 * A Wire v1 client: a state machine that takes datagrams and time, and emits datagrams. It connects by
 * itself, repeats what may have been lost, and holds the chunks that arrived. Rules W50 to W52 in
 * docs/formats/wire-v1.md.
 */
export class Wire1Client {
  readonly #options: Wire1ClientOptions;
  readonly #counts = datagramCounts();
  readonly #chunks = new PositionMap<TileChunk>();
  /** Wanted chunks, and when each one arrived or was requested. */
  readonly #wanted = new PositionMap<number>();
  /** Chunks that the server may still send because it missed that they are unwanted. */
  readonly #unwanted = new PositionSet();
  /** Chunks that are wanted and lacking. */
  readonly #asked = new OpenRequests<LoadChunk>();
  /** Tiles that were set and not seen yet: the chunk itself is the only answer. */
  readonly #tiles = new OpenRequests<SetTile>(TILE_ATTEMPTS_MAX);
  #status: Wire1Status = "disconnected";
  /** When the status last changed. */
  #sinceMs = Number.NEGATIVE_INFINITY;
  #probeMs = 0;
  #probeWaitMs = PROBE_MS_MIN;
  #tickedMs = 0;
  /** Time listened since the last message. */
  #silentMs = 0;
  #beatMs = 0;
  #checkedMs = 0;

  constructor(options: Wire1ClientOptions) {
    this.#options = options;
  }

  get status(): Wire1Status {
    return this.#status;
  }

  /** Number of tiles set but not seen yet, and of chunks requested but not received. */
  get openCount(): number {
    return this.#tiles.size + this.#asked.size;
  }

  /** Number of datagrams without effect, by reason. */
  get dropped(): Readonly<Record<Wire1Drop, number>> {
    return this.#counts.dropped;
  }

  /** The received chunks, in no particular order. */
  get chunks(): Iterable<TileChunk> {
    return this.#chunks.values();
  }

  /** Returns the latest state of a chunk, or `undefined` if none has arrived. */
  chunkAt(x: number, y: number): TileChunk | undefined {
    return this.#chunks.get(x, y, 0, 0);
  }

  /** Returns the latest material of a tile, or `undefined` if its chunk has not arrived. */
  tileAt(x: number, y: number): number | undefined {
    const chunk = this.chunkAt(floorDivide(x, TILE_CHUNK_EDGE), floorDivide(y, TILE_CHUNK_EDGE));
    return chunk?.tiles[voxelIndex(TILE_CHUNKS, x, y, 0, 0)];
  }

  /** Sets a tile, and repeats the request until the chunk shows it or it seems to be refused. */
  setTile(x: number, y: number, material: number): void {
    this.#tiles.add(x, y, { kind: "setTile", x, y, material });
    this.tick();
  }

  /** Requests a chunk, in this session and in later ones. */
  loadChunk(chunkX: number, chunkY: number): void {
    this.#unwanted.delete(chunkX, chunkY, 0, 0);
    this.#ask(chunkX, chunkY);
    this.tick();
  }

  /** Drops a chunk and reports that it is no longer wanted. */
  unloadChunk(chunkX: number, chunkY: number): void {
    this.#wanted.delete(chunkX, chunkY, 0, 0);
    this.#chunks.delete(chunkX, chunkY, 0, 0);
    this.#asked.settle(chunkX, chunkY);
    if (this.#unwanted.size < CHUNKS_HELD_MAX) this.#unwanted.add(chunkX, chunkY, 0, 0);
    this.command({ kind: "unloadChunk", chunkX, chunkY });
  }

  /** Sends a command once, if there is a session. It may be lost. */
  command(command: Wire1Command): void {
    if (this.#status !== "connected") return;
    this.#send({ kind: "command", playerId: this.#options.playerId, command });
  }

  /** Handles a datagram of any content. Never throws. */
  receive(datagram: Uint8Array): void {
    const read = readDatagram(datagram);
    const drop = "stage" in read ? read.stage : this.#take(read);
    countDatagram(this.#counts, drop);
  }

  /** Sends due datagrams. Call it about 20 times per second. */
  tick(): void {
    const nowMs = this.#options.time.nowMs();
    switch (this.#status) {
      case "disconnected":
        if (nowMs - this.#sinceMs >= RECONNECT_MS) this.#connect(nowMs);
        break;
      case "connecting":
        this.#probe(nowMs);
        break;
      case "connected":
        this.#keepUp(nowMs);
    }
  }

  #connect(nowMs: number): void {
    this.#probeMs = nowMs;
    this.#probeWaitMs = PROBE_MS_MIN;
    this.#become("connecting", nowMs);
    this.#say("syn");
  }

  #probe(nowMs: number): void {
    if (nowMs - this.#sinceMs > CONNECT_MS_MAX) {
      this.#become("disconnected", nowMs);
      return;
    }
    if (nowMs - this.#probeMs < this.#probeWaitMs) return;
    this.#probeMs = nowMs;
    this.#probeWaitMs = Math.min(PROBE_MS_MAX, this.#probeWaitMs * 2);
    this.#say("syn");
  }

  #keepUp(nowMs: number): void {
    this.#silentMs += Math.min(LISTENED_MS_MAX, nowMs - this.#tickedMs);
    this.#tickedMs = nowMs;
    if (this.#silentMs > SILENCE_MS_MAX) {
      this.#become("disconnected", nowMs);
      return;
    }
    if (nowMs - this.#beatMs >= HEARTBEAT_MS) {
      this.#beatMs = nowMs;
      this.#say("heartbeat");
    }
    this.#askForForgotten(nowMs);
    for (const requests of [this.#tiles, this.#asked]) {
      for (const command of requests.due(nowMs, COMMANDS_PER_TICK)) this.command(command);
    }
  }

  #take(message: Wire1Message): Wire1Drop | undefined {
    if (this.#status === "disconnected") return "stranger";
    const nowMs = this.#options.time.nowMs();
    this.#silentMs = 0;
    switch (message.kind) {
      case "command":
        return "direction";
      case "control":
        if (message.control === "syn") this.#say("ack");
        if (this.#status === "connecting") this.#joined(nowMs);
        // The server may be restarting the session, and then does not know what we see.
        else if (message.control === "syn") this.#askForAll();
        return undefined;
      case "chunk":
        return this.#show(message.chunk);
      case "batch": {
        const drops = message.chunks.map((chunk) => this.#show(chunk));
        return drops.find((drop) => drop !== undefined);
      }
    }
  }

  #joined(nowMs: number): void {
    this.#beatMs = nowMs;
    this.#tickedMs = nowMs;
    this.#askForAll();
    this.#become("connected", nowMs);
    this.#say("heartbeat");
  }

  #show(chunk: TileChunk): Wire1Drop | undefined {
    if (this.#unwanted.has(chunk.x, chunk.y, 0, 0)) {
      this.command({ kind: "unloadChunk", chunkX: chunk.x, chunkY: chunk.y });
      return "repeated";
    }
    if (this.#chunks.size >= CHUNKS_HELD_MAX && !this.#chunks.has(chunk.x, chunk.y, 0, 0)) return "full";
    this.#chunks.set(chunk.x, chunk.y, 0, 0, chunk);
    if (this.#wanted.has(chunk.x, chunk.y, 0, 0)) {
      this.#wanted.set(chunk.x, chunk.y, 0, 0, this.#options.time.nowMs());
    }
    this.#asked.settle(chunk.x, chunk.y);
    this.#tiles.settleIf((command) => isShown(command, chunk));
    this.#options.onChunk?.(chunk);
    return undefined;
  }

  #ask(chunkX: number, chunkY: number): void {
    this.#wanted.set(chunkX, chunkY, 0, 0, this.#options.time.nowMs());
    this.#asked.add(chunkX, chunkY, { kind: "loadChunk", chunkX, chunkY });
  }

  #askForAll(): void {
    for (const [x, y] of [...this.#wanted.positions()]) this.#ask(x, y);
  }

  /** Requests wanted chunks that did not arrive for long, because the server seems to have dropped them. */
  #askForForgotten(nowMs: number): void {
    if (nowMs - this.#checkedMs < CHECK_MS) return;
    this.#checkedMs = nowMs;
    for (const [[x, y], cameMs] of [...this.#wanted]) if (nowMs - cameMs > FORGOTTEN_MS) this.#ask(x, y);
  }

  #become(status: Wire1Status, nowMs: number): void {
    this.#status = status;
    this.#sinceMs = nowMs;
    this.#options.onStatus?.(status);
  }

  #say(control: Wire1Control): void {
    this.#send({ kind: "control", control });
  }

  #send(message: Wire1Message): void {
    this.#options.send(encode(wire1Codec, message));
  }
}

/** Whether a chunk shows a tile as it was set. */
function isShown({ x, y, material }: SetTile, chunk: TileChunk): boolean {
  if (floorDivide(x, TILE_CHUNK_EDGE) !== chunk.x || floorDivide(y, TILE_CHUNK_EDGE) !== chunk.y)
    return false;
  return chunk.tiles[voxelIndex(TILE_CHUNKS, x, y, 0, 0)] === material;
}
