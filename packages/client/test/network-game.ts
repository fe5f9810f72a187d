import { type ClientWorld, connect, type PredictedPlayer } from "@orthant/client";
import { CUBE_CHUNKS, type Vector } from "@orthant/core";
import { FLAT_DEFAULTS, flatGenerator, generatorRef } from "@orthant/core/generate";
import { Axes, boxBetween } from "@orthant/core/lattice";
import { MemoryDisk } from "@orthant/disk";
import { moveBox } from "@orthant/mesh";
import { SyncServer } from "@orthant/protocol/server";
import { syncWorldOf } from "@orthant/server";
import { movementLimits } from "@orthant/server/internal";
import { FakeTime, Prng } from "@orthant/testkit";
import { createWorldEngine, type WorldEngine } from "@orthant/world/engine";
import { FakeSocket } from "./fake-socket.ts";
import { type TcpConditions, TcpDirection } from "./tcp-link.ts";

const FRAME_MS = 1_000 / 60;
const TICK_MS = 100;
const STONE = 1;
const WALK_SPEED = 4.3;
const GRAVITY = 28;
const JUMP_SPEED = 9;
const SIZE = [0.6, 1.8, 0.6] as const;

/** What a player does in a frame. */
export interface Keys {
  /** The direction to walk in, or none. */
  readonly heading: number | undefined;
  readonly jumps: boolean;
}

export interface Body {
  readonly position: Vector<3>;
  readonly velocity: Vector<3>;
  readonly onGround: boolean;
}

/** A player with a real client: what its rules say alone, what it shows, and what the server does to it. */
export interface GamePlayer {
  readonly client: ClientWorld<3>;
  readonly own: PredictedPlayer<3, Body, Keys>;
  /** When the server corrected the player, and why. */
  readonly corrections: number[];
  readonly reasons: string[];
  /** The player without any correction. */
  alone: Body;
}

/** A real server and real clients, connected by simulated TCP, on a clock that only this game advances. */
export class NetworkGame {
  readonly time: FakeTime = new FakeTime();
  readonly prng: Prng;
  readonly players: GamePlayer[] = [];
  readonly world: WorldEngine;
  readonly sync: SyncServer;
  /** Where the server had each player, at each tick. */
  readonly tracks: Map<bigint, { readonly timeMs: number; readonly position: Vector }[]> = new Map();
  /** Called before each tick of the server. */
  beforeTick: (nowMs: number) => void = () => {};
  readonly #conditions: TcpConditions;
  #nextFrameMs: number;
  #nextTickMs: number;

  private constructor(
    seed: number,
    conditions: TcpConditions,
    world: WorldEngine,
    sync: (game: NetworkGame) => SyncServer,
  ) {
    this.prng = new Prng(seed);
    this.#conditions = conditions;
    this.world = world;
    this.sync = sync(this);
    this.#nextFrameMs = this.time.nowMs();
    this.#nextTickMs = this.time.nowMs();
  }

  /** Starts a server of a plain with walls and steps. It checks moves unless the highest speed is infinite. */
  static async start(
    seed: number,
    conditions: TcpConditions,
    speedMax: number = WALK_SPEED,
  ): Promise<NetworkGame> {
    const generator = generatorRef(flatGenerator, FLAT_DEFAULTS, 1n);
    const world = await createWorldEngine(
      new MemoryDisk(),
      { name: "Plain", shape: CUBE_CHUNKS, generator },
      { autosave: false },
    );
    const prng = new Prng(seed);
    for (let count = 0; count < 40; count++) {
      const [x, z] = [prng.between(-24, 24), prng.between(-24, 24)];
      const [long, high] = [prng.between(1, 6), prng.pick([1, 1, 3])];
      const max = prng.chance(0.5) ? [x + long, high, z + 1, 1] : [x + 1, high, z + long, 1];
      if (Math.abs(x) + Math.abs(z) < 6) continue;
      await world.fill(boxBetween([x, 0, z, 0], max as unknown as Vector), STONE);
    }
    const port = await syncWorldOf(world);
    const movement = { speedMax, size: SIZE, reach: 6 };
    return new NetworkGame(
      seed,
      conditions,
      world,
      ({ time }) =>
        new SyncServer({
          world: port,
          time,
          authorize: async ({ clientId, name }) => ({ playerId: clientId, role: "builder", name }),
          acknowledge: "applied",
          tickMs: TICK_MS,
          ...(Number.isFinite(speedMax) && {
            movement: movementLimits(movement, new Axes<3>(world.shape), port),
          }),
        }),
    );
  }

  /** Lets a player join, at a place of its own and at any time between two ticks of the server. */
  async join(): Promise<GamePlayer> {
    await this.#pass(this.prng.below(TICK_MS));
    const number = this.players.length + 1;
    const socket = new FakeSocket("ws://localhost");
    const { time } = this;
    const joining = connect<3>("ws://localhost", {
      name: `Player ${number}`,
      dimensions: 3,
      time,
      random: () => BigInt(number),
      socket: () => socket,
      interest: { center: [0, 0, 0], radius: 40 },
    });
    const toClient = new TcpDirection(time, this.prng, this.#conditions, (frame) => socket.receive(frame));
    const session = this.sync.connect({ send: (frame) => toClient.send(frame), close: () => socket.lose() });
    const toServer = new TcpDirection(time, this.prng, this.#conditions, (frame) => session.receive(frame));
    socket.send = (frame) => toServer.send(frame);
    await this.#settle();
    socket.open();
    const client = await this.#during(joining);
    await this.#during(client.whenComplete());
    const corrections: number[] = [];
    const reasons: string[] = [];
    client.onMoved(({ reason }) => {
      corrections.push(time.nowMs());
      reasons.push(reason);
    });
    const start: Vector<3> = [(number % 3) * 1.5 - 1.5 + 0.25, 0, Math.floor(number / 3) * 1.5 - 1.5 + 0.25];
    this.sync.movePlayer(client.playerId, { position: [...start, 0] }, "start");
    while (corrections.length === 0) await this.#pass(10);
    corrections.length = 0;
    reasons.length = 0;
    const state: Body = { position: start, velocity: [0, 0, 0], onGround: true };
    const own = client.predictPlayer({
      state,
      step: (body, keys: Keys, seconds) => walk(client, body, keys, seconds),
    });
    const player: GamePlayer = { client, own, corrections, reasons, alone: state };
    this.players.push(player);
    return player;
  }

  /** Plays for some time. `frame` is called 60 times a second, and moves the players. */
  async play(ms: number, frame: (nowMs: number) => void): Promise<void> {
    const endMs = this.time.nowMs() + ms;
    this.#nextFrameMs = this.time.nowMs();
    while (this.time.nowMs() < endMs) {
      await this.#pass(Math.max(0, this.#nextFrameMs - this.time.nowMs()));
      this.#nextFrameMs += FRAME_MS;
      frame(this.time.nowMs());
    }
  }

  /** Moves a player by an input for one frame, at some times the speed that is allowed. */
  move(player: GamePlayer, keys: Keys, factor = 1): void {
    player.own.move(keys, (factor * FRAME_MS) / 1_000);
    player.alone = walk(player.client, player.alone, keys, FRAME_MS / 1_000);
  }

  /** Returns where the server had a player at a time; `undefined` before the player came. */
  positionAt(playerId: bigint, timeMs: number): Vector | undefined {
    const track = this.tracks.get(playerId) ?? [];
    const next = track.findIndex((at) => at.timeMs > timeMs);
    const [from, to] = [track[next - 1], track[next]];
    if (from === undefined || to === undefined) return undefined;
    const share = (timeMs - from.timeMs) / (to.timeMs - from.timeMs);
    return from.position.map(
      (part, axis) => part + ((to.position[axis] ?? 0) - part) * share,
    ) as unknown as Vector;
  }

  async close(): Promise<void> {
    for (const { client } of this.players) await client.close();
    await this.sync.shutdown("over", 0);
    await this.world.close();
  }

  /** Passes time, with the ticks of the server. */
  async #pass(ms: number): Promise<void> {
    const endMs = this.time.nowMs() + ms;
    while (this.#nextTickMs <= endMs) {
      this.time.advance(Math.max(0, this.#nextTickMs - this.time.nowMs()));
      this.#nextTickMs += TICK_MS;
      this.beforeTick(this.time.nowMs());
      this.sync.tick();
      this.#record();
    }
    this.time.advance(endMs - this.time.nowMs());
    await this.#settle();
  }

  #record(): void {
    const timeMs = this.time.nowMs();
    for (const { playerId, position } of this.sync.players) {
      const track = this.tracks.get(playerId) ?? [];
      track.push({ timeMs, position });
      if (track.length > 20) track.shift();
      this.tracks.set(playerId, track);
    }
  }

  async #during<Value>(promise: Promise<Value>): Promise<Value> {
    let isOver = false;
    const over = promise.finally(() => {
      isOver = true;
    });
    while (!isOver) await this.#pass(10);
    return over;
  }

  async #settle(): Promise<void> {
    await new Promise((resolve) => setImmediate(resolve));
  }
}

/** The rules by which a player walks, jumps, falls and stops at walls. */
function walk(
  world: ClientWorld<3>,
  { position, velocity, onGround }: Body,
  { heading, jumps }: Keys,
  seconds: number,
): Body {
  const up = onGround && jumps ? JUMP_SPEED : velocity[1] - GRAVITY * seconds;
  const speed = heading === undefined ? 0 : WALK_SPEED;
  const wanted: Vector<3> = [Math.cos(heading ?? 0) * speed, up, Math.sin(heading ?? 0) * speed];
  const moved = moveBox(
    world,
    { position, size: SIZE },
    wanted.map((part) => part * seconds) as unknown as Vector<3>,
  );
  const rest = wanted.map((part, axis) => (moved.hit[axis] === 0 ? part : 0)) as unknown as Vector<3>;
  return { position: moved.position, velocity: rest, onGround: moved.onGround };
}

/** A player who walks, turns, jumps and stops as a seed has it. */
export function randomKeys(prng: Prng): (body: Body) => Keys {
  let keys: Keys = { heading: undefined, jumps: false };
  let leftFrames = 0;
  return ({ position: [x, , z] }) => {
    if (leftFrames-- <= 0) {
      leftFrames = prng.between(20, 150);
      const isFar = Math.hypot(x, z) > 22;
      const heading = isFar ? Math.atan2(-z, -x) : (prng.below(1_000) / 1_000) * 2 * Math.PI;
      keys = { heading: prng.chance(0.2) && !isFar ? undefined : heading, jumps: false };
    }
    return { ...keys, jumps: prng.chance(0.004) };
  };
}
