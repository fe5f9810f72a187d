import type { ClusterGateway } from "@orthant/cluster";
import { type Box, DEFAULT_GENERATORS, regionBox } from "@orthant/core";
import { type ServerSession, SyncClient, SyncServer, type Vector } from "@orthant/protocol";
import type { MemoryEngine } from "@orthant/testkit/cluster";
import type { SmallCluster } from "./small-cluster.ts";

const TICK_MS = 50;
const FORWARD: Vector = [0, 0, 0, 1];

/** A server over a gateway, which ticks until it is killed. */
export class SmallHost {
  readonly gateway: ClusterGateway;
  readonly engine: MemoryEngine;
  readonly host: SyncServer;
  readonly #small: SmallCluster;
  #isAlive = true;

  private constructor(small: SmallCluster, gateway: ClusterGateway, engine: MemoryEngine) {
    this.#small = small;
    this.gateway = gateway;
    this.engine = engine;
    this.host = new SyncServer({
      ...{ world: gateway.world, clock: small.clock, acknowledge: "durable", tickMs: TICK_MS },
      authorize: async ({ clientId, name }) => ({ playerId: clientId, role: "builder", name }),
    });
    this.#tick();
  }

  static async open(small: SmallCluster): Promise<SmallHost> {
    const { gateway, engine } = await small.gateway();
    return new SmallHost(small, gateway, engine);
  }

  /** Joins a player who looks at a box of chunks. */
  async join(clientId: bigint, name: string, box: Box = regionBox([0, 0, 0, 0])): Promise<SmallGuest> {
    const guest = new SmallGuest(this.#small, clientId, name);
    guest.guest.setInterest({ boxes: [box], center: [0, 0, 0, 0] });
    guest.connect(this);
    await this.#small.until(() => guest.guest.isComplete);
    return guest;
  }

  /** Returns the x coordinate of a player on this server. */
  standing(name: string): number | undefined {
    return this.host.players.find((player) => player.name === name)?.position[0];
  }

  /** Ends the server's process without notifying anyone. */
  kill(): void {
    this.#isAlive = false;
    this.engine.kill();
  }

  #tick(): void {
    if (!this.#isAlive) return;
    this.#small.clock.after(TICK_MS, () => this.#tick());
    this.host.tick();
  }
}

/** A player with a lossless connection. */
export class SmallGuest {
  readonly guest: SyncClient;
  readonly #small: SmallCluster;
  #session: ServerSession | undefined;

  constructor(small: SmallCluster, clientId: bigint, name: string) {
    this.#small = small;
    this.guest = new SyncClient({
      ...{ clock: small.clock, generators: DEFAULT_GENERATORS, clientId, name, firstEditId: 1 },
      token: () => new Uint8Array(0),
    });
    this.#tick();
  }

  /** The players and entities in sight, with their x coordinates. */
  get sight(): readonly (readonly [name: string, x: number])[] {
    return this.guest.entities.map(({ name, position }) => [name, position[0]] as const);
  }

  connect({ host }: SmallHost): void {
    const { clock } = this.#small;
    const session = host.connect({
      send: (frame) => clock.after(1, () => this.#session === session && this.guest.receive(frame)),
      close: () => clock.after(1, () => this.#session === session && this.guest.disconnected()),
    });
    this.#session = session;
    this.guest.connected({
      send: (frame) => clock.after(1, () => session.receive(frame)),
      close: () => session.disconnected(),
    });
  }

  move(x: number): void {
    this.guest.move({ position: [x, 1, 1, 0], orientation: FORWARD });
  }

  leave(): void {
    this.guest.disconnected();
    this.#session?.disconnected();
    this.#session = undefined;
  }

  #tick(): void {
    this.#small.clock.after(TICK_MS, () => this.#tick());
    this.guest.tick();
  }
}
