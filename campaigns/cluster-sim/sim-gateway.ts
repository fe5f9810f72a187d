import { ClusterGateway } from "@orthant/cluster";
import { DEFAULT_GENERATORS } from "@orthant/core/generate";
import { type ServerSession, SyncServer } from "@orthant/protocol/server";
import type { LinkEnd } from "@orthant/testkit";
import type { MemoryBackbone } from "@orthant/testkit/cluster";
import { HeldProcess } from "./held-process.ts";
import { type SimSetting, WORLD } from "./sim-node.ts";

interface Life {
  readonly process: HeldProcess;
  readonly ends: Set<LinkEnd>;
  gateway: ClusterGateway | undefined;
  server: SyncServer | undefined;
}

const HOST_TICK_MS = 200;

/** A gateway with a server for players. */
export class SimGateway {
  readonly #setting: SimSetting;
  /** True if it ever rejected an edit. */
  hasRejected = false;
  #life: Life | undefined;

  constructor(setting: SimSetting) {
    this.#setting = setting;
  }

  get isUp(): boolean {
    return this.#life !== undefined;
  }

  get backbone(): MemoryBackbone | undefined {
    return this.#life?.process.backbone;
  }

  get gateway(): ClusterGateway | undefined {
    return this.#life?.gateway;
  }

  start(): void {
    if (this.#life !== undefined) return;
    const { time, hub } = this.#setting;
    const life: Life = {
      process: new HeldProcess(time, hub),
      ends: new Set(),
      gateway: undefined,
      server: undefined,
    };
    this.#life = life;
    this.#open(life);
  }

  /** Accepts a client. Returns false if the gateway is not ready. */
  connect(end: LinkEnd): boolean {
    const life = this.#life;
    if (life?.server === undefined) return false;
    const session: ServerSession = life.server.connect(end);
    life.ends.add(end);
    end.listen({
      receive: (frame) => life.process.time.happen(() => session.receive(frame)),
      disconnected: () => {
        life.ends.delete(end);
        life.process.time.happen(() => session.disconnected());
      },
    });
    return true;
  }

  crash(): void {
    const life = this.#life;
    life?.process.kill();
    for (const end of life?.ends ?? []) end.close();
    this.#life = undefined;
  }

  pause(): void {
    this.#life?.process.pause();
  }

  resume(): void {
    this.#life?.process.resume();
  }

  #open(life: Life): void {
    const { time, backbone } = life.process;
    const opening = ClusterGateway.open({
      backbone,
      time,
      generators: DEFAULT_GENERATORS,
      world: WORLD,
    });
    opening.then(
      (gateway) => {
        life.gateway = gateway;
        life.server = new SyncServer({
          world: gateway.world,
          time,
          authorize: async ({ clientId }) => ({ playerId: clientId, role: "builder", name: `p${clientId}` }),
          acknowledge: "durable",
          tickMs: HOST_TICK_MS,
          limits: { idleMs: 60_000 },
          events: {
            onEditResult: (outcome) => {
              this.hasRejected ||= !["applied", "unchanged", "duplicate"].includes(outcome);
            },
          },
        });
        this.#tick(life);
      },
      // The backbone did not answer. Like a service that failed to start, it is started again.
      () => time.after(500, () => this.#open(life)),
    );
  }

  #tick(life: Life): void {
    life.process.time.after(HOST_TICK_MS, () => this.#tick(life));
    life.server?.tick();
  }
}
