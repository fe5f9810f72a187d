import type { Backbone } from "@orthant/cluster";
import { type BackboneUnderTest, describeBackboneContract } from "@orthant/testkit/contracts";
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

  describeBackboneContract("NATS", async () => nodesOf(cluster));
});

/** Connects each node to another server, so that shared data passes between servers. */
function nodesOf(cluster: NatsCluster): BackboneUnderTest {
  const backbones: Backbone[] = [];
  return {
    async connect(options) {
      const server = cluster.urls[backbones.length % cluster.urls.length] ?? "";
      const backbone = await cluster.connect({
        servers: [server],
        timeoutMilliseconds: PATIENCE_MS,
        ...options,
      });
      backbones.push(backbone);
      return backbone;
    },
    dispose: async () => void (await Promise.all(backbones.map((backbone) => backbone.close()))),
  };
}
