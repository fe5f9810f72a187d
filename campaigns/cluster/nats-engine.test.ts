import type { Engine } from "@orthant/cluster";
import { describeEngineContract, type EngineUnderTest } from "@orthant/testkit/contracts";
import { afterAll, beforeAll, describe } from "vitest";
import { NatsCluster } from "./nats-cluster.ts";

describe.each([1, 3])("%i NATS servers", (count) => {
  let cluster: NatsCluster;

  beforeAll(async () => {
    cluster = await NatsCluster.start(count);
    await (await cluster.connect()).close();
  }, 120_000);

  afterAll(() => cluster.dispose());

  describeEngineContract("NATS", async () => nodesOf(cluster));
});

/** Each node connects to another server, so that what they share goes from server to server. */
function nodesOf(cluster: NatsCluster): EngineUnderTest {
  const engines: Engine[] = [];
  return {
    async connect(options) {
      const server = cluster.urls[engines.length % cluster.urls.length] ?? "";
      const engine = await cluster.connect({ servers: [server], ...options });
      engines.push(engine);
      return engine;
    },
    dispose: async () => void (await Promise.all(engines.map((engine) => engine.close()))),
  };
}
