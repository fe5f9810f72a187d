import { type ClusterGateway, checkpointShards, mergeShards } from "@orthant/cluster";
import { decodeShardRecord, type EntitiesRecord } from "@orthant/cluster/internal";
import type { Vector } from "@orthant/core";
import { DEFAULT_GENERATORS } from "@orthant/core/generate";
import { boxBetween } from "@orthant/core/lattice";
import { MemoryDisk } from "@orthant/disk";
import { type EntityChange, openWorldEngine, type WorldEngine } from "@orthant/world/engine";
import { expect, test } from "vitest";
import { SmallCluster, type SmallNode } from "./small-cluster.ts";
import { SmallServer } from "./small-server.ts";

/** Everything from the border at x = 0 on to the east. */
const EAST = boxBetween([0, -9, -9, -9], [9, 9, 9, 9]);
/** Two sectors on both sides of the border. A sector is 64 voxels wide. */
const AROUND = boxBetween([-16, 0, 0, 0], [16, 16, 16, 4]);

interface Town {
  readonly small: SmallCluster;
  readonly nodes: SmallNode[];
  readonly gateway: ClusterGateway;
}

/** A world in two shards, each on a node of its own. */
async function town(furnish?: (world: WorldEngine) => void): Promise<Town> {
  const small = new SmallCluster();
  await small.create(0, furnish);
  const nodes = [await small.node("a"), await small.node("b"), await small.node("c")];
  await small.until(() => nodes.some(({ node }) => node.owns("0")));
  const { gateway } = await small.gateway();
  const made = { small, nodes, gateway };
  const owner = ownerOf(made, "0");
  await small.settled(owner.node.split("0", EAST, "east"));
  await small.settled(owner.node.move("east"));
  await small.until(() => nodes.some(({ node }) => node !== owner.node && node.owns("east")));
  return made;
}

function ownerOf({ nodes }: Pick<Town, "nodes">, shard: string): SmallNode {
  const owner = nodes.find(({ node }) => node.owns(shard));
  if (owner === undefined) throw new Error(`shard ${shard} has no owner`);
  return owner;
}

function entitiesOf(
  made: Pick<Town, "nodes">,
  shard: string,
): NonNullable<ReturnType<SmallNode["node"]["entities"]>> {
  const entities = ownerOf(made, shard).node.entities(shard);
  if (entities === undefined) throw new Error(`shard ${shard} has no owner`);
  return entities;
}

function at(x: number): Vector {
  return [x, 1, 1, 0];
}

/** Returns the x coordinates of all entities that a gateway shows. */
async function shown({ small, gateway }: Town): Promise<readonly number[]> {
  const found = await small.settled(gateway.world.entitiesIn(AROUND));
  return found.map(({ position }) => position[0]).sort((one, other) => one - other);
}

/** Kills the owner of a shard, and waits for the next one. */
async function kill(made: Town, shard: string): Promise<void> {
  const owner = ownerOf(made, shard);
  owner.node.kill(new Error("killed"));
  owner.backbone.kill();
  made.nodes.splice(made.nodes.indexOf(owner), 1);
  await made.small.until(() => ["0", "east"].every((each) => made.nodes.some(({ node }) => node.owns(each))));
}

test("[K55] an entity that a node adds, moves and removes survives its owner", async () => {
  const made = await town();
  const west = entitiesOf(made, "0");
  const cow = await made.small.settled(west.spawn({ kind: 2, position: at(-5), displayName: "cow" }));
  const pig = await made.small.settled(west.spawn({ kind: 3, position: at(-9) }));
  await made.small.settled(west.change(cow, { position: at(-7), tags: ["fed"] }));
  await made.small.settled(west.remove(pig));
  await kill(made, "0");
  expect(await shown(made)).toEqual([-7]);
  const [found] = await made.small.settled(
    entitiesOf(made, "0").in(boxBetween([-64, 0, 0, 0], [0, 9, 9, 1])),
  );
  expect(found).toMatchObject({ entityId: cow, kind: 2, displayName: "cow", tags: ["fed"] });
});

test("[K56] an entity that walks across a border is in the other shard, and can walk back", async () => {
  const made = await town();
  const cow = await made.small.settled(entitiesOf(made, "0").spawn({ kind: 2, position: at(-1) }));
  await made.small.settled(entitiesOf(made, "0").change(cow, { position: at(1) }));
  await made.small.until(() => entitiesOf(made, "east").get(cow) !== undefined);
  expect(entitiesOf(made, "0").get(cow)).toBeUndefined();
  await made.small.settled(entitiesOf(made, "east").change(cow, { position: at(3) }));
  expect(await shown(made)).toEqual([3]);
  await made.small.settled(entitiesOf(made, "east").change(cow, { position: at(-3) }));
  await made.small.until(() => entitiesOf(made, "0").get(cow) !== undefined);
  expect(await shown(made)).toEqual([-3]);
});

test("[K56] an entity may be spawned in another shard", async () => {
  const made = await town();
  const cow = await made.small.settled(entitiesOf(made, "0").spawn({ kind: 2, position: at(5) }));
  await made.small.until(() => entitiesOf(made, "east").get(cow) !== undefined);
});

test("[K55] only the owner of a sector writes its records, also of entities that other shards add there", async () => {
  const made = await town();
  const { small } = made;
  const records: EntitiesRecord[] = [];
  await small.hub.connect().follow(small.world, "0_0_0_0", (bytes) => {
    const record = decodeShardRecord(bytes, 64);
    if (record.kind === "entities") records.push(record);
  });
  await small.settled(entitiesOf(made, "east").spawn({ kind: 2, position: at(1) }));
  for (const x of [2, 3]) {
    const cow = await small.settled(entitiesOf(made, "0").spawn({ kind: 2, position: at(x) }));
    await small.until(() => entitiesOf(made, "east").get(cow) !== undefined);
  }
  expect(records.flatMap(({ items }) => items.map(({ kind }) => kind))).toEqual(Array(3).fill("present"));
  const stamps = records.map(({ before, after }) => [before, after]);
  expect(stamps.slice(1).map(([before]) => before)).toEqual(stamps.slice(0, -1).map(([, after]) => after));
});

test("[K56] an entity that was added for another shard arrives also if its owner ends before", async () => {
  const made = await town();
  const { small } = made;
  const west = entitiesOf(made, "0");
  // No other shard can take it over, so it is only in the journal.
  const east = ownerOf(made, "east");
  east.node.kill(new Error("killed"));
  east.backbone.kill();
  made.nodes.splice(made.nodes.indexOf(east), 1);
  const cow = await small.settled(west.spawn({ kind: 2, position: at(5) }));
  await kill(made, "0");
  await small.until(() => entitiesOf(made, "east").get(cow) !== undefined);
  expect(await shown(made)).toEqual([5]);
});

test("[K56] an entity on its way to a shard without an owner arrives when there is one", async () => {
  const made = await town();
  const cow = await made.small.settled(entitiesOf(made, "0").spawn({ kind: 2, position: at(-1) }));
  const owner = ownerOf(made, "east");
  owner.node.kill(new Error("killed"));
  owner.backbone.kill();
  made.nodes.splice(made.nodes.indexOf(owner), 1);
  await made.small.settled(entitiesOf(made, "0").change(cow, { position: at(2) }));
  // The outbox is in the journal, and then in the save.
  if (made.nodes.length > 1) await kill(made, "0");
  await made.small.until(() => made.nodes.some(({ node }) => node.owns("east")));
  await made.small.until(() => entitiesOf(made, "east").get(cow) !== undefined);
  expect(await shown(made)).toEqual([2]);
});

test("[K59] an entity that is too large is refused, and nothing changes", async () => {
  const made = await town();
  const west = entitiesOf(made, "0");
  const payload = new Uint8Array(65_536);
  await expect(made.small.settled(west.spawn({ kind: 2, position: at(-1), payload }))).rejects.toThrow(
    "65536",
  );
  const cow = await made.small.settled(west.spawn({ kind: 2, position: at(-1) }));
  await expect(made.small.settled(west.change(cow, { payload }))).rejects.toThrow("65536");
  await expect(made.small.settled(west.remove(cow + 1n))).rejects.toThrow("no entity");
  expect(await shown(made)).toEqual([-1]);
});

test("[K57] an arrival that was not acknowledged is not repeated", async () => {
  const made = await town();
  const { small } = made;
  const cow = await small.settled(entitiesOf(made, "0").spawn({ kind: 2, position: at(-1) }));
  const { backbone } = ownerOf(made, "0");
  const leaving = entitiesOf(made, "0").change(cow, { position: at(2) });
  await small.settled(leaving);
  // The answer does not reach the sender, whose successor sends the entity again.
  backbone.partition = "from backbone";
  await small.until(() => entitiesOf(made, "east").get(cow) !== undefined);
  await small.settled(entitiesOf(made, "east").remove(cow));
  await kill(made, "0");
  await small.pass(5_000);
  expect(entitiesOf(made, "east").get(cow)).toBeUndefined();
  expect(await shown(made)).toEqual([]);
});

test("[K58] a split divides the entities, so that those that come back are there once", async () => {
  const made = await town((world) => {
    for (const x of [-20, 20]) world.entities.spawn({ kind: 1, position: at(x) });
  });
  const { small } = made;
  const everywhere = boxBetween([-64, 0, 0, 0], [64, 9, 9, 1]);
  const [east] = await small.settled(entitiesOf(made, "east").in(everywhere));
  const id = east?.entityId ?? 0n;
  expect(await small.settled(entitiesOf(made, "0").in(everywhere))).toHaveLength(1);
  await small.settled(entitiesOf(made, "east").change(id, { position: at(-1) }));
  await small.until(() => entitiesOf(made, "0").get(id) !== undefined);
  await kill(made, "0");
  expect(await shown(made)).toEqual([-20, -1]);
  await small.settled(entitiesOf(made, "0").in(everywhere));
  await small.settled(entitiesOf(made, "0").change(id, { position: at(21) }));
  await small.until(() => entitiesOf(made, "east").get(id) !== undefined);
  await kill(made, "east");
  expect(await shown(made)).toEqual([-20, 21]);
});

test("[K60] a world that is merged into one has entities that were on their way, once", async () => {
  const made = await town();
  const { small } = made;
  const west = entitiesOf(made, "0");
  await small.settled(west.spawn({ kind: 2, position: at(-4) }));
  const cow = await small.settled(west.spawn({ kind: 2, position: at(-1) }));
  const pig = await small.settled(west.spawn({ kind: 3, position: at(-2) }));
  await small.settled(west.change(pig, { position: at(7) }));
  await small.until(() => entitiesOf(made, "east").get(pig) !== undefined);
  const east = ownerOf(made, "east");
  east.node.kill(new Error("killed"));
  east.backbone.kill();
  await small.settled(
    ownerOf(made, "0")
      .node.entities("0")
      ?.change(cow, { position: at(3) }) ?? Promise.resolve(),
  );
  for (const { node, backbone } of made.nodes) {
    node.kill(new Error("killed"));
    backbone.kill();
  }
  await small.pass(10_000);
  const { time, random, folders, world } = small;
  const options = {
    backbone: small.hub.connect(),
    folders,
    world,
    time,
    random,
    generators: DEFAULT_GENERATORS,
  };
  const saved = await small.settled(checkpointShards(options));
  const target = new MemoryDisk();
  await mergeShards(saved, target, { nowMs: time.nowMs() });
  const merged = await openWorldEngine(target, { readOnly: true, time });
  const found = await merged.entities.in(boxBetween([-64, 0, 0, 0], [64, 9, 9, 1]));
  expect(found.map(({ position }) => position[0]).sort((one, other) => one - other)).toEqual([-4, 3, 7]);
  await merged.close();
  await small.settled(saved.release());
});

test("[K34] players of all gateways see entities move across a border, once", async () => {
  const made = await town();
  const { small } = made;
  const servers = [await SmallServer.open(small), await SmallServer.open(small)];
  const players = [await servers[0]?.join(1n, "Ada", AROUND), await servers[1]?.join(2n, "Bob", AROUND)];
  const cow = await small.settled(
    entitiesOf(made, "0").spawn({ kind: 2, position: at(-3), displayName: "cow" }),
  );
  const isAt = (x: number): boolean =>
    players.every((player) => {
      const seen = player?.sight.filter(([name]) => name === "cow") ?? [];
      expect(seen.length).toBeLessThan(2);
      return seen[0]?.[1] === x;
    });
  await small.until(() => isAt(-3));
  for (let x = -2; x < 3; x++) {
    const here = x <= 0 ? "0" : "east";
    await small.until(() => entitiesOf(made, here).get(cow) !== undefined);
    const change: EntityChange = { position: at(x) };
    await small.settled(entitiesOf(made, here).change(cow, change));
    await small.until(() => isAt(x));
  }
  await small.settled(entitiesOf(made, "east").remove(cow));
  await small.until(() => players.every((player) => player?.sight.every(([name]) => name !== "cow")));
});

test("[K34] a gateway that missed records catches up", async () => {
  const made = await town();
  const { small, gateway } = made;
  const release = gateway.world.keep(AROUND);
  await small.settled(gateway.world.entitiesIn(AROUND));
  const inSilence = async (act: () => Promise<unknown>): Promise<void> => {
    const { faultPlan } = small.hub;
    small.hub.faultPlan = { ...faultPlan, deliveryLoss: 1 };
    await small.settled(act());
    await small.pass(1_000);
    small.hub.faultPlan = faultPlan;
    await small.pass(8_000);
  };
  let cow = 0n;
  await inSilence(async () => {
    cow = await entitiesOf(made, "0").spawn({ kind: 2, position: at(-3) });
  });
  expect(await shown(made)).toEqual([-3]);
  // Into another region, then into another shard, whose stamps may be lower, and back.
  await inSilence(() => entitiesOf(made, "0").change(cow, { position: at(-30) }));
  expect(await shown(made)).toEqual([-30]);
  await inSilence(() => entitiesOf(made, "0").change(cow, { position: at(5) }));
  expect(await shown(made)).toEqual([5]);
  await inSilence(() => entitiesOf(made, "east").change(cow, { position: at(-5) }));
  expect(await shown(made)).toEqual([-5]);
  release();
});
