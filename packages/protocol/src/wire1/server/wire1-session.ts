import { TILE_CHUNKS } from "@orthant/core";
import { encode } from "@orthant/core/bytes";
import { TILE_CHUNK_EDGE } from "@orthant/core/chunk";
import { chunkOfVoxel, systemRandomBits } from "@orthant/core/lattice";
import { TokenBucket } from "@orthant/core/time";
import type { VoxelPlacement } from "@orthant/core/tree";
import type { Account } from "../../server/account.ts";
import type { Wire1Drop } from "../drop-counts.ts";
import type { LoadChunk, SetTile, Wire1Command } from "../message/wire1-command.ts";
import { type Wire1Control, type Wire1Message, wire1Codec } from "../message/wire1-message.ts";
import { HEARTBEAT_MS, PROBE_MS_MIN, SILENCE_MS_MAX } from "../wire1-limits.ts";
import { ChunkInterest, type CopyOwner, type SendSchedule } from "./chunk-copies.ts";
import type { TileFeed } from "./tile-feed.ts";
import { Wire1Player } from "./wire1-player.ts";
import type { Wire1Address, Wire1GameCommand, Wire1ServerOptions } from "./wire1-server-options.ts";

/** State shared by all Wire v1 sessions. */
export interface Wire1Context {
  readonly options: Wire1ServerOptions;
  readonly feed: TileFeed;
  readonly schedule: SendSchedule;
  /** The ids of the players who have a session. */
  readonly players: Set<number>;
  readonly say: (to: Wire1Address, control: Wire1Control) => void;
}

/** Maximum number of commands that wait for their player to join. */
const WAITING_MAX = 16;

/** Passes a player's commands to the game, each once per tick and at a limited rate. */
class GameCommands {
  readonly #rate: TokenBucket;
  readonly #seen = new Set<string>();
  #waiting: Wire1GameCommand[] = [];

  constructor(gameMessagesPerSecond: number, nowMs: number) {
    this.#rate = new TokenBucket(gameMessagesPerSecond, gameMessagesPerSecond, nowMs);
  }

  /**
   * Returns why a command does not reach the game, or `undefined` when it may. The original clients repeat
   * commands in every frame they draw, and networks duplicate them, so repetitions within a tick are dropped.
   */
  refusalOf(command: Wire1GameCommand, nowMs: number): Wire1Drop | undefined {
    const bytes = encode(wire1Codec, { kind: "command", playerId: 0, command });
    const key = String.fromCharCode(...bytes);
    if (this.#seen.has(key)) return "repeated";
    if (!this.#rate.take(1, nowMs)) return "rate";
    this.#seen.add(key);
    return undefined;
  }

  /** Holds a command until the player has joined. Returns false if there is no room. */
  wait(command: Wire1GameCommand): boolean {
    if (this.#waiting.length >= WAITING_MAX) return false;
    this.#waiting.push(command);
    return true;
  }

  /** Returns and removes the waiting commands, in order. */
  takeWaiting(): readonly Wire1GameCommand[] {
    const waiting = this.#waiting;
    this.#waiting = [];
    return waiting;
  }

  startTick(): void {
    this.#seen.clear();
  }
}

/** Radius around the spawn of the chunks that a session starts with, as in the original. */
const FIRST_RADIUS_CHUNKS = 2;
/** Minimum time between two restarts of a session. */
const RESTART_MS_MIN = 1_000;
/** The tiles of chunks farther out have coordinates that no message can carry. */
const CHUNK_COORDINATE_MAX: number = 2 ** 31 / TILE_CHUNK_EDGE - 1;

/** The player of a session. */
interface Speaker {
  readonly playerId: number;
  readonly clientId: bigint;
  readonly player: Wire1Player;
  /** The account that the server assigned; `undefined` before the player has joined. */
  account: Account | undefined;
}

/** The session of a proven address, until it falls silent. */
export class Wire1Session implements CopyOwner {
  readonly from: Wire1Address;
  readonly #context: Wire1Context;
  readonly #interest: ChunkInterest;
  readonly #datagrams: TokenBucket;
  readonly #chunkRequests: TokenBucket;
  readonly #game: GameCommands;
  #speaker: Speaker | undefined;
  #startedMs: number;
  /** Time listened since the last message. */
  #silentMs = 0;
  #beatMs: number;
  /** When we asked whether the address itself sent the SYN. */
  #restartAskedMs: number | undefined;
  #isLost = false;
  /** Chunk bytes left in this tick's budget. */
  #budgetBytes = 0;

  constructor(context: Wire1Context, from: Wire1Address, nowMs: number) {
    const { limits } = context.options;
    this.from = from;
    this.#context = context;
    this.#interest = new ChunkInterest(context.feed, context.schedule, limits, this);
    this.#datagrams = new TokenBucket(limits.wire1DatagramsPerSecond, limits.wire1DatagramsBurst, nowMs);
    this.#chunkRequests = new TokenBucket(limits.wire1ChunksPerSecond, limits.wire1ChunksMax, nowMs);
    this.#game = new GameCommands(limits.gameMessagesPerSecond, nowMs);
    this.#startedMs = nowMs;
    this.#beatMs = nowMs;
    this.#see(nowMs);
  }

  /** Number of chunks that the session sees. */
  get chunkCount(): number {
    return this.#interest.size;
  }

  /** Returns true when another datagram may be read. */
  mayRead(nowMs: number): boolean {
    return this.#datagrams.take(1, nowMs);
  }

  /** Handles a message. Returns why it had no effect, or `undefined` if it had one. */
  take(message: Wire1Message, nowMs: number): Wire1Drop | undefined {
    this.#silentMs = 0;
    if (message.kind === "command") return this.#takeCommand(message.playerId, message.command, nowMs);
    if (message.kind !== "control") return "direction";
    if (message.control === "syn") this.#answerSyn(nowMs);
    else if (message.control === "ack" && this.#restartAskedMs !== undefined) this.#restart(nowMs);
    return undefined;
  }

  /** Begins a tick after listening for `listenedMs`. Returns false when the session is over. */
  tick(nowMs: number, listenedMs: number): boolean {
    this.#silentMs += listenedMs;
    if (this.#isLost || this.#silentMs > SILENCE_MS_MAX) return false;
    this.#budgetBytes = this.#context.options.limits.wire1SessionBytesPerTick;
    this.#game.startTick();
    this.#speaker?.player.tick();
    if (nowMs - this.#beatMs < HEARTBEAT_MS) return true;
    // Counted from the due time, so that late ticks do not reduce the rate, unless there were none for long.
    this.#beatMs = Math.max(this.#beatMs + HEARTBEAT_MS, nowMs - HEARTBEAT_MS);
    this.#context.say(this.from, "heartbeat");
    return true;
  }

  /** Whether any of this tick's budget is left. */
  get maySend(): boolean {
    return this.#budgetBytes > 0;
  }

  /** Spends bytes of this tick's budget. */
  spend(bytes: number): void {
    this.#budgetBytes -= bytes;
  }

  end(): void {
    this.#interest.clear();
    this.#silence();
  }

  /** Answers a SYN. It may be forged and a restart is expensive, so the address must confirm it. */
  #answerSyn(nowMs: number): void {
    this.#context.say(this.from, "ack");
    if (nowMs - this.#startedMs < RESTART_MS_MIN) return;
    if (nowMs - (this.#restartAskedMs ?? 0) < PROBE_MS_MIN) return;
    this.#restartAskedMs = nowMs;
    this.#context.say(this.from, "syn");
  }

  #restart(nowMs: number): void {
    this.#restartAskedMs = undefined;
    this.#startedMs = nowMs;
    this.#interest.clear();
    this.#silence();
    this.#see(nowMs);
  }

  #see(nowMs: number): void {
    const [spawnX, spawnY] = this.#context.options.world.spawn;
    const firstX = Math.floor(spawnX / TILE_CHUNK_EDGE) - FIRST_RADIUS_CHUNKS;
    const firstY = Math.floor(spawnY / TILE_CHUNK_EDGE) - FIRST_RADIUS_CHUNKS;
    for (let x = firstX; x <= firstX + 2 * FIRST_RADIUS_CHUNKS; x++) {
      for (let y = firstY; y <= firstY + 2 * FIRST_RADIUS_CHUNKS; y++) {
        if (this.#reaches(x, y)) this.#interest.add(x, y, nowMs);
      }
    }
  }

  #takeCommand(playerId: number, command: Wire1Command, nowMs: number): Wire1Drop | undefined {
    const speaker = this.#speakerFor(playerId);
    if (speaker === undefined) return "player";
    switch (command.kind) {
      case "setTile":
        return speaker.player.edit([placementOf(command)]) ? undefined : "rate";
      case "loadChunk":
        return this.#load(command, nowMs);
      case "unloadChunk":
        this.#interest.remove(command.chunkX, command.chunkY);
        return undefined;
      default:
        return this.#play(speaker, command, nowMs);
    }
  }

  #load({ chunkX, chunkY }: LoadChunk, nowMs: number): Wire1Drop | undefined {
    if (!this.#reaches(chunkX, chunkY)) return "reach";
    if (!this.#chunkRequests.take(1, nowMs)) return "rate";
    this.#interest.add(chunkX, chunkY, nowMs);
    return undefined;
  }

  #play(speaker: Speaker, command: Wire1GameCommand, nowMs: number): Wire1Drop | undefined {
    const refusal = this.#game.refusalOf(command, nowMs);
    if (refusal !== undefined) return refusal;
    if (speaker.account === undefined) return this.#game.wait(command) ? undefined : "rate";
    this.#passToGame(speaker.account, speaker.player, command);
    return undefined;
  }

  #passToGame(account: Account, player: Wire1Player, command: Wire1GameCommand): void {
    const { events } = this.#context.options;
    try {
      events?.onCommand?.(account, command, { move: (pose) => player.move(pose) });
    } catch (error) {
      // A failing game must not stop the server for all players.
      events?.onFailure?.(error);
    }
  }

  /** Returns the player if the id is theirs: the first that the session names and no other session has. */
  #speakerFor(playerId: number): Speaker | undefined {
    if (this.#speaker !== undefined) return this.#speaker.playerId === playerId ? this.#speaker : undefined;
    const { options, players } = this.#context;
    if (playerId === 0 || players.has(playerId)) return undefined;
    const account = options.accountOf(playerId, this.from);
    if (account === undefined) return undefined;
    const clientId = (options.random ?? systemRandomBits)();
    options.expected.set(clientId, account);
    players.add(playerId);
    const player = new Wire1Player(options, clientId, account, this.from.address, {
      onJoined: (joined) => this.#joined(speaker, joined),
      onRejected: (placements) => this.#showAgain(placements),
      onLost: () => {
        this.#isLost = true;
      },
    });
    const speaker: Speaker = { playerId, clientId, player, account: undefined };
    this.#speaker = speaker;
    return speaker;
  }

  #joined(speaker: Speaker, account: Account): void {
    speaker.account = account;
    for (const command of this.#game.takeWaiting()) this.#passToGame(account, speaker.player, command);
  }

  /** Resends the chunks of a refused edit: Wire v1 has no refusal, and the client may show the edit. */
  #showAgain(placements: readonly VoxelPlacement[]): void {
    for (const { voxel } of placements) {
      const [x, y] = chunkOfVoxel(TILE_CHUNKS, voxel);
      this.#interest.repeat(x, y);
    }
  }

  /** Disconnects the player of this session. */
  #silence(): void {
    const speaker = this.#speaker;
    if (speaker === undefined) return;
    this.#speaker = undefined;
    this.#game.takeWaiting();
    this.#context.players.delete(speaker.playerId);
    this.#context.options.expected.delete(speaker.clientId);
    speaker.player.leave();
  }

  #reaches(chunkX: number, chunkY: number): boolean {
    const max = Math.min(this.#context.options.limits.chunkCoordinateMax, CHUNK_COORDINATE_MAX);
    return Math.abs(chunkX) <= max && Math.abs(chunkY) <= max;
  }
}

function placementOf({ x, y, material }: SetTile): VoxelPlacement {
  return { voxel: [x, y, 0, 0], block: material };
}
