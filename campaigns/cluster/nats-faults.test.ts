import type { Backbone, BackboneStatus, TableEntry } from "@orthant/cluster";
import { codeOfRejection } from "@orthant/testkit";
import {
  canMakeNetworks,
  LOOPBACK,
  leaderOf,
  NamespaceNetwork,
  NatsCluster,
  type Network,
} from "@orthant/testkit/nats";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { FencedWriter } from "./fenced-writer.ts";
import { untilAnswered, waitUntil } from "./waiting.ts";

const PATIENCE_MS = 120_000;
const isNetworked = canMakeNetworks();

describe("three NATS servers", () => {
  let network: Network;
  let cluster: NatsCluster;

  beforeAll(async () => {
    network = isNetworked ? new NamespaceNetwork(3) : LOOPBACK;
    cluster = await NatsCluster.start(3, {}, network);
    await (await cluster.connect()).close();
  }, PATIENCE_MS);

  afterAll(async () => {
    await cluster.dispose();
    network.dispose();
  });

  test(
    "keep acknowledged batches, and only whole ones, when the journal's leader is killed",
    async () => {
      const backbone = await cluster.connect();
      const writer = await FencedWriter.open(backbone, "kill", "1");
      await writer.writeUntil(() => writer.acknowledged >= 20);
      const leader = await leaderOf(cluster, "J_kill_1");
      const isOver = writer.startWriting();
      await leader.kill();
      await writer.nextAcknowledged();
      await leader.start();
      await isOver();
      await writer.check();
      await backbone.close();
    },
    PATIENCE_MS,
  );

  test(
    "bring every watcher to the last write when its server is killed",
    async () => {
      const [victim, other] = cluster.nodes;
      if (victim === undefined || other === undefined) throw new Error("there are three");
      const watcher = await cluster.connect();
      const writer = await cluster.connect({ servers: [other.url] });
      const seen = new Map<string, TableEntry>();
      const statuses: BackboneStatus[] = [];
      await watcher.table.watch("watched.", (entry) => seen.set(entry.key, entry));
      watcher.onStatus((status) => statuses.push(status));
      await victim.kill();
      const revision = await putUntilStored(writer, "watched.last", "after the kill");
      await waitUntil(
        () => seen.get("watched.last")?.revision === revision,
        "the watcher sees the last write",
      );
      await victim.start();
      // If the watcher was connected to this server, it reports that.
      expect(statuses.filter((status) => status === "disconnected").length).toBeLessThanOrEqual(1);
      await Promise.all([watcher.close(), writer.close()]);
    },
    PATIENCE_MS,
  );

  test(
    "acknowledge nothing without a quorum, and continue when it is back",
    async () => {
      const [first, second, third] = cluster.nodes;
      const backbone = await cluster.connect({ servers: [third?.url ?? ""] });
      const journal = await untilAnswered(() => backbone.journal("quorum", "1"));
      const record = { subject: { kind: "control" }, bytes: new Uint8Array([1]) } as const;
      await untilAnswered(() => journal.append([record], 0));
      await Promise.all([first?.kill(), second?.kill()]);
      const codes = await Promise.all([
        codeOfRejection(() => backbone.table.put("quorum", new Uint8Array([1]))),
        codeOfRejection(() => journal.append([record, record], 1)),
      ]);
      expect(codes).toEqual(["ORT_BACKBONE_AWAY", "ORT_BACKBONE_AWAY"]);
      await Promise.all([first?.start(), second?.start()]);
      const writer = await FencedWriter.open(backbone, "quorum", "1");
      await writer.writeUntil(() => writer.acknowledged > 0);
      await writer.check();
      await backbone.close();
    },
    PATIENCE_MS,
  );

  test(
    "lose a node to another server when the node's own server freezes",
    async () => {
      const [frozen] = cluster.nodes;
      if (frozen === undefined) throw new Error("there are three");
      // The node discovers the other servers through the first.
      const backbone = await cluster.connect({ servers: [frozen.url] });
      const statuses: BackboneStatus[] = [];
      const back = new Promise<void>((resolve) => {
        backbone.onStatus((status) => {
          statuses.push(status);
          if (status === "lagging" && statuses.includes("disconnected")) resolve();
        });
      });
      frozen.pause();
      await back;
      expect(statuses.slice(0, 3)).toEqual(["disconnected", "connected", "lagging"]);
      await putUntilStored(backbone, "frozen", "elsewhere");
      frozen.resume();
      await backbone.close();
    },
    PATIENCE_MS,
  );

  test(
    "do not let a node wait for a frozen leader beyond the election of another",
    async () => {
      const control = await cluster.connect();
      const writer = await FencedWriter.open(control, "frozen", "1");
      await writer.writeUntil(() => writer.acknowledged >= 1);
      const leader = await leaderOf(cluster, "J_frozen_1");
      const other = cluster.nodes.find((node) => node !== leader);
      // Longer than an election, so that only the election can end the wait.
      const backbone = await cluster.connect({ servers: [other?.url ?? ""], timeoutMilliseconds: 60_000 });
      const journal = await backbone.findJournal("frozen", "1");
      const { last } = (await journal?.state()) ?? { last: 0 };
      leader.pause();
      const startMs = performance.now();
      const record = { subject: { kind: "control" }, bytes: new Uint8Array([1]) } as const;
      expect(await codeOfRejection(async () => journal?.append([record], last))).toBe("ORT_BACKBONE_AWAY");
      expect(performance.now() - startMs).toBeLessThan(40_000);
      leader.resume();
      await Promise.all([control.close(), backbone.close()]);
    },
    PATIENCE_MS,
  );

  // Needs root and iproute2, which CI has.
  test.skipIf(!isNetworked)(
    "keep acknowledged batches when the leader is cut off, and recover",
    async () => {
      const backbone = await cluster.connect();
      const writer = await FencedWriter.open(backbone, "cut", "1");
      await writer.writeUntil(() => writer.acknowledged >= 20);
      const leader = await leaderOf(cluster, "J_cut_1");
      const member = cluster.nodes.indexOf(leader);
      const isOver = writer.startWriting();
      network.setLink(member, "down");
      await writer.nextAcknowledged();
      network.setLink(member, "up");
      await writer.nextAcknowledged();
      await isOver();
      await writer.check();
      // A node that knows only the recovered server reads the same.
      const other = await cluster.connect({ servers: [leader.url] });
      await (await FencedWriter.open(other, "cut", "1")).expectSame(writer);
      await Promise.all([backbone.close(), other.close()]);
    },
    PATIENCE_MS,
  );
});

function putUntilStored(backbone: Backbone, key: string, text: string): Promise<number> {
  return untilAnswered(() => backbone.table.put(key, new TextEncoder().encode(text)));
}
