import type { Engine } from "@orthant/cluster";
import { describeEngineContract, type EngineUnderTest } from "@orthant/testkit/contracts";
import { NatsCluster } from "@orthant/testkit/nats";
import { afterAll, beforeAll, describe } from "vitest";

/** Generous, so that a busy machine does not fail the test. */
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

/** Connects each node to another server, so that shared data passes between servers. */
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
