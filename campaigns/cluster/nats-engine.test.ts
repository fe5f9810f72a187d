import type { Engine } from "@orthant/cluster";
import { describeEngineContract, type EngineUnderTest } from "@orthant/testkit/contracts";
import { NatsCluster } from "@orthant/testkit/nats";
import { afterAll, beforeAll, describe } from "vitest";

/** A busy machine is no reason to fail. */
const PATIENCE_MS = 20_000;

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
      const engine = await cluster.connect({
        servers: [server],
        timeoutMilliseconds: PATIENCE_MS,
        ...options,
      });
      engines.push(engine);
      return engine;
    },
    dispose: async () => void (await Promise.all(engines.map((engine) => engine.close()))),
  };
}
