import type { ClusterGateway, OwnerLimits } from "@orthant/cluster";
import { OrthantError, type Position } from "@orthant/core";
import { boxBetween, regionBox } from "@orthant/core/lattice";
import type { VoxelPlacement } from "@orthant/core/tree";
import { codeOfRejection, Prng } from "@orthant/testkit";
import { expect, test } from "vitest";
import { SmallCluster, type SmallNode } from "./small-cluster.ts";

const EAST = boxBetween([1, -8, -8, -8], [8, 8, 8, 8]);
const WEST_VOXEL: Position = [1, 2, 3, 0];
const EAST_VOXEL: Position = [65, 2, 3, 0];
const DATA_BYTES = 32_768;

interface Played {
  readonly small: SmallCluster;
  readonly owner: SmallNode;
  readonly gateway: ClusterGateway;
  /** What the owner reported: its failures to claim a shard, lost shards, and calls that wait. */
  readonly reports: string[];
}

/** Starts a cluster with one owner and a gateway. */
async function played(small = new SmallCluster(), limits: Partial<OwnerLimits> = {}): Promise<Played> {
  const reports: string[] = [];
  await small.create();
  const owner = await reportingNode(small, "a", reports, limits);
  await small.until(() => owner.node.owns("0"));
  const { gateway } = await small.gateway();
  await small.settled(gateway.world.load(regionBox([0, 0, 0, 0])));
  return { small, owner, gateway, reports };
}

function reportingNode(
  small: SmallCluster,
  name: string,
  reports: string[],
  limits: Partial<OwnerLimits> = {},
): Promise<SmallNode> {
  return small.node(
    name,
    {
      onFailure: (shard, error) => reports.push(`${shard}: ${error}`),
      onLost: (shard, error) => reports.push(`lost ${shard}: ${error}`),
      onStuck: (shard, error, waitedMs) =>
        reports.push(`stuck ${shard} for ${Math.round(waitedMs / 1_000)} s: ${error}`),
    },
    1_000,
    limits,
  );
}

async function statusOf({ small, gateway }: Played, voxel: Position, block: number): Promise<string> {
  return (await small.settled(small.edit(gateway, voxel, block))).status;
}

test("[K40] a split without room for a journal fails, and leaves the shard and the name as they were", async () => {
  const town = await played();
  const { small, owner, reports } = town;
  small.hub.hasRoom = false;
  const split = owner.node.split("0", EAST, "east");
  expect(await small.settled(codeOfRejection(split))).toBe("ORT_BACKBONE_FULL");
  expect(await statusOf(town, WEST_VOXEL, 2)).toBe("applied");
  expect(await statusOf(town, EAST_VOXEL, 2)).toBe("applied");
  small.hub.hasRoom = true;
  await small.settled(owner.node.split("0", EAST, "east"));
  expect(await statusOf(town, EAST_VOXEL, 3)).toBe("applied");
  expect([...owner.node.shards.keys()]).toEqual(["0", "east"]);
  expect(reports).toEqual([]);
});

test("[K40] a split that waits for the backbone is given up after 10 seconds, reported and undone", async () => {
  const town = await played();
  const { small, owner, reports } = town;
  const { table } = owner.backbone;
  const swap = table.swap.bind(table);
  table.swap = (key, value, expected) =>
    key.endsWith(".east")
      ? Promise.reject(new OrthantError("ORT_BACKBONE_AWAY", "east is away"))
      : swap(key, value, expected);
  const startMs = small.time.nowMs();
  expect(await small.settled(codeOfRejection(owner.node.split("0", EAST, "east")))).toBe("ORT_TIMEOUT");
  expect(small.time.nowMs() - startMs).toBeLessThan(12_000);
  expect(await statusOf(town, EAST_VOXEL, 2)).toBe("applied");
  await small.pass(70_000);
  expect(reports.map((report) => report.replace(/\d+ s/, "n s"))).toEqual([
    "stuck undefined for n s: OrthantError: ORT_BACKBONE_AWAY: east is away",
    "stuck undefined for n s: OrthantError: ORT_BACKBONE_AWAY: east is away",
  ]);
  table.swap = swap;
  await small.pass(1_000);
  await small.settled(owner.node.split("0", EAST, "east"));
  expect(await statusOf(town, EAST_VOXEL, 3)).toBe("applied");
});

test("a world that finds no room for its journal is reported, and taken as soon as there is room", async () => {
  const small = new SmallCluster();
  await small.create();
  small.hub.loseJournal("town", "0");
  small.hub.hasRoom = false;
  const reports: string[] = [];
  const { node } = await reportingNode(small, "a", reports);
  await small.pass(5_000);
  expect(reports[0]).toMatch(/^0: OrthantError: ORT_BACKBONE_FULL: .*no room/);
  small.hub.hasRoom = true;
  await small.until(() => node.owns("0"));
});

test("creating a world without room for its journal fails before anything is written", async () => {
  const small = new SmallCluster();
  small.hub.hasRoom = false;
  expect(await codeOfRejection(small.create())).toBe("ORT_BACKBONE_FULL");
  small.hub.hasRoom = true;
  await small.create();
});

test("[K38] a journal grows while it fills, and an owner that can get no more room saves and goes on", async () => {
  const town = await played(new SmallCluster({ journalBytesMin: 8_192, journalBytesMax: 131_072 }));
  const { small, owner, gateway, reports } = town;
  const sizes = new Set<number>();
  const outcomes: string[] = [];
  const edits = async (count: number): Promise<void> => {
    for (let index = 0; index < count; index++) {
      const voxel: Position = [index % 4, 1, 1, 0];
      const made = small.edit(gateway, voxel, 1 + (Math.floor(outcomes.length / 4) % 10));
      outcomes.push(
        await small.settled(
          made.then(
            ({ status }) => status,
            (error) => error.code,
          ),
        ),
      );
      sizes.add(small.hub.journal("town", "0")?.bytesMax ?? 0);
    }
  };
  await edits(20);
  expect([...sizes]).toEqual([8_192, 32_768]);
  expect(new Set(outcomes)).toEqual(new Set(["applied"]));
  small.hub.hasRoom = false;
  await edits(100);
  expect(new Set(outcomes)).toEqual(new Set(["applied", "ORT_JOURNAL_FULL"]));
  await small.pass(2_000);
  expect(owner.node.shards.get("0")?.unsavedRecords).toBe(0);
  expect(await statusOf(town, WEST_VOXEL, 12)).toBe("applied");
  expect(reports).toEqual([]);
});

/** Fills the journal of a cluster whose backbone loses requests to trim. Returns a function that ends the loss. */
async function fillJournal(town: Played): Promise<() => void> {
  const { small, owner } = town;
  const journal = small.hub.journal("town", "0");
  if (journal === undefined) throw new Error("no journal");
  const trim = journal.trim.bind(journal);
  journal.trim = () => {
    throw new OrthantError("ORT_BACKBONE_AWAY", "the request was lost");
  };
  const outcomes = new Set<string>();
  for (let index = 0; !outcomes.has("ORT_JOURNAL_FULL"); index++)
    outcomes.add(await statusOf(town, [index % 4, 1, 1, 0], 1 + (index % 10)).catch(({ code }) => code));
  await small.pass(3_000);
  expect(owner.node.shards.get("0")?.unsavedRecords).toBe(0);
  return () => {
    journal.trim = trim;
  };
}

test("[K38] an owner drops what is saved from a full journal, also after the backbone lost a request to do so", async () => {
  const town = await played(new SmallCluster({ journalBytesMin: 8_192, journalBytesMax: 8_192 }));
  const endLoss = await fillJournal(town);
  endLoss();
  await statusOf(town, WEST_VOXEL, 12).catch(() => undefined);
  await town.small.pass(100);
  expect(await statusOf(town, WEST_VOXEL, 13)).toBe("applied");
});

test("[K39] an owner whose full journal is lost notices it, and accepts edits again", async () => {
  const town = await played(new SmallCluster({ journalBytesMin: 8_192, journalBytesMax: 8_192 }));
  const { small, owner, reports } = town;
  await fillJournal(town);
  small.hub.loseJournal("town", "0");
  await statusOf(town, WEST_VOXEL, 12).catch(() => undefined);
  await small.until(() => reports.length > 0);
  expect(reports.join()).toContain("lost 0: OrthantError: ORT_JOURNAL");
  await small.until(() => owner.node.owns("0"));
  expect(await statusOf(town, WEST_VOXEL, 13)).toBe("applied");
});

test("[K39] a new owner claims a journal that is full, saves it and accepts edits again", async () => {
  const small = new SmallCluster({ journalBytesMin: 8_192, journalBytesMax: 131_072 });
  const town = await played(small, { checkpointMs: 3_600_000 });
  const { owner, gateway } = town;
  // The bound of the owner is out of the way, as if it had not known how full the journal is.
  const journal = small.hub.journal("town", "0");
  for (let index = 0; index < 80; index++) await statusOf(town, [index % 4, 1, 1, 0], 1 + (index % 10));
  small.hub.hasRoom = false;
  journal?.fill();
  const fullBytes = journal?.state.bytes ?? 0;
  expect(fullBytes).toBe(journal?.bytesMax);
  owner.backbone.kill();
  owner.node.kill(new Error("killed"));
  const reports: string[] = [];
  const next = await reportingNode(small, "b", reports);
  await small.until(() => next.node.owns("0"));
  await small.pass(3_000);
  expect((await small.settled(small.edit(gateway, [1, 1, 2, 0], 9))).status).toBe("applied");
  expect(reports).toEqual([]);
  expect(journal?.state.bytes).toBeLessThan(fullBytes);
});

test("[K12] an edit that no record can hold is refused with ORT_LIMIT, and its owner stays", async () => {
  const town = await played();
  const { small, owner, gateway, reports } = town;
  const bytes = new Prng(1).bytes(DATA_BYTES);
  let editId = 100;
  const place = (from: number, count: number): Promise<string> => {
    // Every chunk has 64 voxels, and room for the data of 8.
    const placements = Array.from({ length: count }, (_, at): VoxelPlacement => {
      const chunk = from + Math.floor(at / 7);
      const voxel: Position = [
        (chunk % 4) * 4 + (at % 4),
        Math.floor(chunk / 4) * 4 + (at % 7 > 3 ? 1 : 0),
        1,
        0,
      ];
      return { voxel, block: 3, data: bytes };
    });
    const made = gateway.world.edit({ kind: "voxels", placements }, { clientId: 9n, editId: ++editId });
    return small.settled(
      made.then(
        ({ status }) => status,
        (error) => error.code,
      ),
    );
  };
  expect(await place(0, 60)).toBe("ORT_LIMIT");
  expect(await place(0, 40)).toBe("applied");
  expect(await place(6, 40)).toBe("applied");
  // Its data is in the world, not in the request.
  const box = boxBetween([0, 0, 0, 0], [16, 12, 4, 1]);
  const copy = gateway.world.edit({ kind: "copy", box, to: [0, 0, 8, 0] }, { clientId: 9n, editId: 200 });
  expect(
    await small.settled(
      copy.then(
        ({ status }) => status,
        (error) => error.code,
      ),
    ),
  ).toBe("ORT_LIMIT");
  expect(await statusOf(town, WEST_VOXEL, 2)).toBe("applied");
  expect(owner.node.owns("0")).toBe(true);
  expect(reports).toEqual([]);
});

test("edits with much data that wait together travel in several requests", async () => {
  const town = await played();
  const { small, gateway, owner } = town;
  const request = owner.backbone;
  const bytes = new Prng(2).bytes(DATA_BYTES);
  const sizes: number[] = [];
  const backbones = [...small.hub.backbones].filter((backbone) => backbone !== request);
  for (const backbone of backbones) {
    const send = backbone.request.bind(backbone);
    backbone.request = (address, message, ms) => {
      sizes.push(message.length);
      return send(address, message, ms);
    };
  }
  const edits = Array.from({ length: 90 }, (_, index) =>
    gateway.world.edit(
      { kind: "voxels", placements: [{ voxel: [index * 4, 0, 2, 0], block: 3, data: bytes }] },
      { clientId: 6n, editId: index + 1 },
    ),
  );
  const made = await small.settled(Promise.all(edits));
  expect(new Set(made.map(({ status }) => status))).toEqual(new Set(["applied"]));
  expect(Math.max(...sizes)).toBeLessThan(1_200_000);
  expect(Math.max(...sizes)).toBeGreaterThan(800_000);
});
