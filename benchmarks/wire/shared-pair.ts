import { GeneratorRegistry } from "@orthant/core";
import {
  DEFAULT_GENERATORS,
  generatorRef,
  PLATFORMS_DEFAULTS,
  platformsGenerator,
} from "@orthant/core/generate";
import { MemoryDisk } from "@orthant/disk";
import type { Wire } from "@orthant/protocol";
import { SyncClient } from "@orthant/protocol/client";
import { SyncServer } from "@orthant/protocol/server";
import { syncWorldOf } from "@orthant/server";
import { FakeTime } from "@orthant/testkit";
import { createWorldEngine, type WorldEngine } from "@orthant/world/engine";

const TICK_MS = 100;
/** Limit on the ticks of a join. */
const TICKS_MAX = 5_000;
/** Turns of the event queue per tick for the world's promises. */
const TURNS = 20;

/** Bytes sent in each direction. */
export interface Traffic {
  downBytes: number;
  upBytes: number;
  /** Sizes of the frames to the client. */
  readonly downFrames: number[];
}

/** A world of platforms shared within this process: real messages, counted, without sockets. */
export class SharedPair {
  readonly world: WorldEngine;
  readonly #time: FakeTime;
  readonly #sync: SyncServer;
  readonly #clients = new Map<SyncClient, { receive(frame: Uint8Array): void }>();

  private constructor(world: WorldEngine, sync: SyncServer, time: FakeTime) {
    this.world = world;
    this.#time = time;
    this.#sync = sync;
  }

  static async make(): Promise<SharedPair> {
    const time = new FakeTime();
    const generator = generatorRef(platformsGenerator, PLATFORMS_DEFAULTS, 1n);
    const world = await createWorldEngine(new MemoryDisk(), { generator }, { time, autosave: false });
    const sync = new SyncServer({
      world: await syncWorldOf(world),
      time,
      authorize: async ({ clientId }) => ({ playerId: clientId, role: "builder", name: "somebody" }),
      acknowledge: "applied",
      tickMs: TICK_MS,
    });
    return new SharedPair(world, sync, time);
  }

  /** Creates a client with the same generators as the server, or with none. */
  newClient(clientId: bigint, generators: "equal" | "none"): SyncClient {
    return new SyncClient({
      time: this.#time,
      generators: generators === "equal" ? DEFAULT_GENERATORS : new GeneratorRegistry([]),
      clientId,
      name: "somebody",
      token: () => new Uint8Array(0),
    });
  }

  /** Connects a client and starts counting. */
  connect(client: SyncClient): Traffic {
    const traffic: Traffic = { downBytes: 0, upBytes: 0, downFrames: [] };
    const toClient: Wire = {
      send: (frame) => {
        traffic.downBytes += frame.length;
        traffic.downFrames.push(frame.length);
        client.receive(frame.slice());
      },
      close: () => client.disconnected(),
    };
    const session = this.#sync.connect(toClient);
    this.#clients.set(client, session);
    client.connected({
      send: (frame) => {
        traffic.upBytes += frame.length;
        session.receive(frame.slice());
      },
      close: () => session.disconnected(),
    });
    return traffic;
  }

  /** Advances one tick. */
  async tick(): Promise<void> {
    this.#time.advance(TICK_MS);
    for (const client of this.#clients.keys()) client.tick();
    for (let turn = 0; turn < TURNS; turn++) await Promise.resolve();
    this.#sync.tick();
    for (let turn = 0; turn < TURNS; turn++) await Promise.resolve();
  }

  /** Advances time until a client holds all of its interest. */
  async settle(client: SyncClient): Promise<void> {
    for (let tick = 0; tick < TICKS_MAX; tick++) {
      await this.tick();
      if (client.isComplete) return;
    }
    throw new Error("a client does not get all of its interest");
  }
}
