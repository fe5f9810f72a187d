import {
  type Clock,
  cellOfVoxel,
  encode,
  floorDivide,
  PlaceMap,
  PlaceSet,
  TILE_CHUNK_EDGE,
  TILE_CHUNKS,
  type TileChunk,
} from "@orthant/core";
import { DropCounts, type Wire1Drop } from "../door/drop-counts.ts";
import { wire1Codec } from "../message/datagram-codec.ts";
import { readDatagram } from "../message/read-datagram.ts";
import type { Wire1Command } from "../message/wire1-command.ts";
import type { Wire1Control, Wire1Message } from "../message/wire1-message.ts";
import {
  CONNECT_MS_MAX,
  HEARTBEAT_MS,
  LISTENED_MS_MAX,
  PROBE_MS_MAX,
  PROBE_MS_MIN,
  SILENCE_MS_MAX,
} from "../wire1-timing.ts";
import { AskedChunks } from "./asked-chunks.ts";
import { OpenTiles } from "./open-tiles.ts";

/** Whether a visitor is in a session. */
export type Wire1Status = "disconnected" | "connecting" | "connected";

/** How a visitor comes to a world of tiles. */
export interface VisitorOptions {
  /** Only `nowMs` is asked; ticks come from outside. */
  readonly clock: Clock;
  /** Who speaks, from 1 to 2^32 - 1. */
  readonly playerId: number;
  /** Takes over the bytes of one datagram. */
  readonly send: (datagram: Uint8Array) => void;
  readonly onStatus?: (status: Wire1Status) => void;
  /** A chunk came; it may be as it was before. */
  readonly onChunk?: (chunk: TileChunk) => void;
}

/** So many chunks are held, and so many are remembered as not wanted; a server that sends more is not believed. */
const CHUNKS_HELD_MAX = 4_096;
/** Tiles and chunks that are asked for in one tick: a burst would only fill the buffers on the way, and be lost. */
const COMMANDS_PER_TICK = 4;
/** A server sends each chunk at least once in a minute; this is a little more. */
const FORGOTTEN_MS = 75_000;
/** So often it is looked whether that is so. */
const LOOK_MS = 5_000;
/** After so long without a session the next attempt begins. */
const RECONNECT_MS = 2_000;

/**
 * A client of Wire v1: a machine that is given datagrams and the time, and gives datagrams. It connects by itself, says
 * again what may have been lost, and shows the chunks that came. Rules W50 to W52 in docs/formats/wire-v1.md.
 */
export class Wire1Visitor {
  readonly #options: VisitorOptions;
  readonly #counts = new DropCounts();
  readonly #chunks = new PlaceMap<TileChunk>();
  /** Chunks that are wanted, and when each came or was asked for. */
  readonly #wanted = new PlaceMap<number>();
  /** Chunks that the server may still send, because it did not hear that they are not wanted. */
  readonly #unwanted = new PlaceSet();
  readonly #asked = new AskedChunks();
  readonly #tiles = new OpenTiles();
  #status: Wire1Status = "disconnected";
  /** Since when the status is what it is. */
  #sinceMs = Number.NEGATIVE_INFINITY;
  #probeMs = 0;
  #probeWaitMs = PROBE_MS_MIN;
  #tickedMs = 0;
  /** How long we have listened since something came. */
  #silentMs = 0;
  #beatMs = 0;
  #lookedMs = 0;

  constructor(options: VisitorOptions) {
    this.#options = options;
  }

  get status(): Wire1Status {
    return this.#status;
  }

  /** Tiles that were set and not seen yet, and chunks that were asked for and have not come. */
  get openCount(): number {
    return this.#tiles.size + this.#asked.size;
  }

  /** Datagrams that came and had no effect, by reason. */
  get dropped(): Readonly<Record<Wire1Drop, number>> {
    return this.#counts.dropped;
  }

  /** The chunks that came, in no particular order. */
  get chunks(): Iterable<TileChunk> {
    return this.#chunks.values();
  }

  /** A chunk as it was shown last; `undefined` when it never was. */
  chunkAt(x: number, y: number): TileChunk | undefined {
    return this.#chunks.get(x, y, 0, 0);
  }

  /** The material of a tile as it was shown last; `undefined` when it never was. */
  tileAt(x: number, y: number): number | undefined {
    const chunk = this.chunkAt(floorDivide(x, TILE_CHUNK_EDGE), floorDivide(y, TILE_CHUNK_EDGE));
    return chunk?.tiles[cellOfVoxel(TILE_CHUNKS, x, y, 0, 0)];
  }

  /** Sets a tile, and says so again until the chunk shows it or it seems to be refused. */
  setTile(x: number, y: number, material: number): void {
    this.#tiles.set({ kind: "setTile", x, y, material });
    this.tick();
  }

  /** Wants to see a chunk, from now on and in later sessions. */
  loadChunk(chunkX: number, chunkY: number): void {
    this.#unwanted.delete(chunkX, chunkY, 0, 0);
    this.#ask(chunkX, chunkY);
    this.tick();
  }

  /** Does not want to see a chunk any more, and forgets it. */
  unloadChunk(chunkX: number, chunkY: number): void {
    this.#wanted.delete(chunkX, chunkY, 0, 0);
    this.#chunks.delete(chunkX, chunkY, 0, 0);
    this.#asked.settle(chunkX, chunkY);
    if (this.#unwanted.size < CHUNKS_HELD_MAX) this.#unwanted.add(chunkX, chunkY, 0, 0);
    this.command({ kind: "unloadChunk", chunkX, chunkY });
  }

  /** Sends a command once, if there is a session: it may be lost. */
  command(command: Wire1Command): void {
    if (this.#status !== "connected") return;
    this.#send({ kind: "command", playerId: this.#options.playerId, command });
  }

  /** Takes a datagram of the server's. It may be anything; it never throws. */
  receive(datagram: Uint8Array): void {
    const read = readDatagram(datagram);
    const drop = "stage" in read ? read.stage : this.#take(read);
    if (drop === undefined) this.#counts.take();
    else this.#counts.drop(drop);
  }

  /** Sends what is due; to be called about 20 times a second. */
  tick(): void {
    const nowMs = this.#options.clock.nowMs();
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
    for (const command of this.#tiles.due(nowMs, COMMANDS_PER_TICK)) this.command(command);
    for (const [chunkX, chunkY] of this.#asked.due(nowMs, COMMANDS_PER_TICK)) {
      this.command({ kind: "loadChunk", chunkX, chunkY });
    }
  }

  #take(message: Wire1Message): Wire1Drop | undefined {
    if (this.#status === "disconnected") return "stranger";
    const nowMs = this.#options.clock.nowMs();
    this.#silentMs = 0;
    switch (message.kind) {
      case "command":
        return "direction";
      case "control":
        if (message.control === "syn") this.#say("ack");
        if (this.#status === "connecting") this.#joined(nowMs);
        // It may begin the session anew, and then knows nothing of what we see.
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
      this.#wanted.set(chunk.x, chunk.y, 0, 0, this.#options.clock.nowMs());
    }
    this.#asked.settle(chunk.x, chunk.y);
    this.#tiles.settle(chunk);
    this.#options.onChunk?.(chunk);
    return undefined;
  }

  #ask(chunkX: number, chunkY: number): void {
    this.#wanted.set(chunkX, chunkY, 0, 0, this.#options.clock.nowMs());
    this.#asked.ask(chunkX, chunkY);
  }

  #askForAll(): void {
    for (const [x, y] of [...this.#wanted.places()]) this.#ask(x, y);
  }

  /** A server sends each chunk again from time to time; one that does not come is one that it forgot. */
  #askForForgotten(nowMs: number): void {
    if (nowMs - this.#lookedMs < LOOK_MS) return;
    this.#lookedMs = nowMs;
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
