export { asUser, leaderOf, NatsCluster } from "./nats-cluster.ts";
export { type NatsConfiguration, type NatsNode, TEST_CREDENTIALS } from "./nats-node.ts";
export {
  canLoseOneWay,
  canMakeNetworks,
  type LinkState,
  LOOPBACK,
  NamespaceNetwork,
  type Network,
} from "./network.ts";
export { NATS_SERVER_FOLDER, natsServerVersion, obtainNatsServer } from "./obtain-nats-server.ts";
