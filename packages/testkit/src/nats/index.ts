export { NatsCluster } from "./nats-cluster.ts";
export { type NatsConfiguration, TEST_CREDENTIALS } from "./nats-configuration.ts";
export { leaderOf } from "./nats-leader.ts";
export type { NatsNode } from "./nats-node.ts";
export {
  canLoseOneWay,
  canMakeNetworks,
  type LinkState,
  LOOPBACK,
  NamespaceNetwork,
  type Network,
} from "./network.ts";
export { NATS_SERVER_FOLDER, natsServerVersion, obtainNatsServer } from "./obtain-nats-server.ts";
