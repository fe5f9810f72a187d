import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { jetstreamManager } from "@nats-io/jetstream";
import { connect } from "@nats-io/transport-node";
import type { Backbone } from "@orthant/cluster";
import { connectNats, type NatsBackboneOptions } from "@orthant/cluster/nats";
import { isOrthantError } from "@orthant/core";
import { type NatsConfiguration, NatsNode, TEST_CREDENTIALS } from "./nats-node.ts";
import { LOOPBACK, type Network } from "./network.ts";
import { obtainNatsServer } from "./obtain-nats-server.ts";

const PATIENCE_MS = 60_000;
const RETRY_MS = 100;
const JOURNAL_BYTES_MAX = 64 * 1024 * 1024;

/** A cluster of NATS servers: one or three. */
export class NatsCluster {
  readonly nodes: readonly NatsNode[];
  readonly #folder: string;

  private constructor(nodes: readonly NatsNode[], folder: string) {
    this.nodes = nodes;
    this.#folder = folder;
  }

  /** Starts the servers; with `network`, server `n` is its member `n`. */
  static async start(
    count: number,
    settings: Partial<NatsConfiguration> = {},
    network: Network = LOOPBACK,
  ): Promise<NatsCluster> {
    const program = obtainNatsServer();
    const folder = mkdtempSync(join(tmpdir(), "orthant-nats-"));
    const places = [];
    for (let member = 0; member < count; member++) {
      const address = network.address(member);
      places.push({ address, port: await network.freePort(), clusterPort: await network.freePort() });
    }
    const routes = places.map(({ address, clusterPort }) => `${address}:${clusterPort}`);
    const nodes = places.map((place, member) => {
      const others = routes.filter((_, other) => other !== member);
      const options = { name: `n${member}`, routes: others, ...settings, ...place };
      return new NatsNode([...network.prefix(member), ...asUser(settings.runAs), program], folder, options);
    });
    const cluster = new NatsCluster(nodes, folder);
    await Promise.all(nodes.map((node) => node.start()));
    return cluster;
  }

  get urls(): readonly string[] {
    return this.nodes.map(({ url }) => url);
  }

  /** Connects as a node does, and retries until the servers have found each other. */
  async connect(options: Partial<NatsBackboneOptions> = {}): Promise<Backbone> {
    const until = performance.now() + PATIENCE_MS;
    const replicas = this.nodes.length;
    for (;;) {
      try {
        return await connectNats({
          servers: this.urls,
          credentials: TEST_CREDENTIALS,
          replicas,
          journalBytesMax: JOURNAL_BYTES_MAX,
          ...options,
        });
      } catch (error) {
        if (!isOrthantError(error, "ORT_BACKBONE_AWAY") || performance.now() > until) throw error;
        await delay(RETRY_MS);
      }
    }
  }

  async dispose(): Promise<void> {
    await Promise.all(this.nodes.map((node) => node.kill()));
    rmSync(this.#folder, { recursive: true });
  }
}

/** Returns the prefix of commands that another user runs. */
export function asUser(id: number | undefined): readonly string[] {
  return id === undefined ? [] : ["setpriv", `--reuid=${id}`, `--regid=${id}`, "--clear-groups"];
}

/** Returns the server that leads a stream. */
export async function leaderOf(cluster: NatsCluster, stream: string): Promise<NatsNode> {
  const { user, password: pass } = TEST_CREDENTIALS;
  const connection = await connect({ servers: [...cluster.urls], user, pass });
  const { streams } = await jetstreamManager(connection);
  const { cluster: placed } = await streams.info(stream);
  await connection.close();
  const leader = cluster.nodes.find(({ name }) => name === placed?.leader);
  if (leader === undefined) throw new Error(`${stream} has no leader`);
  return leader;
}
