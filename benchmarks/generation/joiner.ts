import { connectReplica } from "@orthant/client/node";
import { GeneratorRegistry } from "@orthant/core";
import { flatGenerator } from "@orthant/core/generate";
import { endWithParent } from "../child.ts";
import type { JoinOrder, JoinReport } from "./orders.ts";

// The process of a client that has other generators than the server, which must therefore send every chunk.

const generators = new GeneratorRegistry([flatGenerator]);

endWithParent();
process.on("message", (order: JoinOrder) => void join(order));

async function join({ url, radiusChunks }: JoinOrder): Promise<void> {
  const startMs = performance.now();
  const client = connectReplica(url, { generators, interest: { center: [0, 0, 0, 0], radiusChunks } });
  await client.complete();
  const joinMs = performance.now() - startMs;
  process.send?.({ joinMs, regions: client.counts.heldRegions } satisfies JoinReport);
  await client.close();
}
