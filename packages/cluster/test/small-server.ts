import type { ClusterGateway } from "@orthant/cluster";
import type { Box, Vector } from "@orthant/core";
import { DEFAULT_GENERATORS } from "@orthant/core/generate";
import { regionBox } from "@orthant/core/lattice";
import { type OwnEditResult, SyncClient } from "@orthant/protocol/client";
import { type ServerSession, type SyncRules, SyncServer } from "@orthant/protocol/server";
import type { MemoryBackbone } from "@orthant/testkit/cluster";
import type { SmallCluster } from "./small-cluster.ts";

const TICK_MS = 50;
const FORWARD: Vector = [0, 0, 0, 1];

/** A server over a gateway, which ticks until it is killed. */
export class SmallServer {
  readonly gateway: ClusterGateway;
  readonly backbone: MemoryBackbone;
  readonly sync: SyncServer;
  readonly #small: SmallCluster;
  #isAlive = true;

  private constructor(
    small: SmallCluster,
    gateway: ClusterGateway,
    backbone: MemoryBackbone,
    rules: SyncRules,
  ) {
    this.#small = small;
    this.gateway = gateway;
    this.backbone = backbone;
    this.sync = new SyncServer({
      ...{ world: gateway.world, time: small.time, acknowledge: "durable", tickMs: TICK_MS },
      authorize: async ({ clientId, name }) => ({ playerId: clientId, role: "builder", name }),
      rules,
    });
    this.#tick();
  }

  static async open(small: SmallCluster, rules: SyncRules = {}): Promise<SmallServer> {
    const { gateway, backbone } = await small.gateway();
    return new SmallServer(small, gateway, backbone, rules);
  }

  /** Joins a player whose interest is a box of chunks. */
  async join(clientId: bigint, name: string, box: Box = regionBox([0, 0, 0, 0])): Promise<SmallClient> {
    const client = new SmallClient(this.#small, clientId, name);
    client.sync.setInterest({ boxes: [box], center: [0, 0, 0, 0] });
    client.connect(this);
    await this.#small.until(() => client.sync.isComplete);
    return client;
  }

  /** Returns the x coordinate of a player on this server. */
  standing(name: string): number | undefined {
    return this.sync.players.find((player) => player.name === name)?.position[0];
  }

  /** Ends the server's process without notifying anyone. */
  kill(): void {
    this.#isAlive = false;
    this.backbone.kill();
  }

  #tick(): void {
    if (!this.#isAlive) return;
    this.#small.time.after(TICK_MS, () => this.#tick());
    this.sync.tick();
  }
}

/** A player with a lossless connection. */
export class SmallClient {
  readonly sync: SyncClient;
  /** The results of its edits. */
  readonly results: OwnEditResult["result"][] = [];
  readonly #small: SmallCluster;
  #session: ServerSession | undefined;

  constructor(small: SmallCluster, clientId: bigint, name: string) {
    this.#small = small;
    this.sync = new SyncClient({
      ...{ time: small.time, generators: DEFAULT_GENERATORS, clientId, name, firstEditId: 1 },
      token: () => new Uint8Array(0),
      events: { onEditResult: ({ result }) => this.results.push(result) },
    });
    this.#tick();
  }

  /** The players and entities in sight, with their x coordinates. */
  get sight(): readonly (readonly [name: string, x: number])[] {
    return this.sync.entities.map(({ name, position }) => [name, position[0]] as const);
  }

  connect({ sync }: SmallServer): void {
    const { time } = this.#small;
    const session = sync.connect({
      send: (frame) => time.after(1, () => this.#session === session && this.sync.receive(frame)),
      close: () => time.after(1, () => this.#session === session && this.sync.disconnected()),
    });
    this.#session = session;
    this.sync.connected({
      send: (frame) => time.after(1, () => session.receive(frame)),
      close: () => session.disconnected(),
    });
  }

  move(x: number): void {
    this.sync.move({ position: [x, 1, 1, 0], orientation: FORWARD });
  }

  leave(): void {
    this.sync.disconnected();
    this.#session?.disconnected();
    this.#session = undefined;
  }

  #tick(): void {
    this.#small.time.after(TICK_MS, () => this.#tick());
    this.sync.tick();
  }
}
