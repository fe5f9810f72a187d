import { jetstreamManager } from "@nats-io/jetstream";
import { connect } from "@nats-io/transport-node";
import type { NatsCluster } from "./nats-cluster.ts";
import { TEST_CREDENTIALS } from "./nats-configuration.ts";
import type { NatsNode } from "./nats-node.ts";

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
