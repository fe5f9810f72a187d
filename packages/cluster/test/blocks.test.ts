import type { BlockCatalog } from "@orthant/core";
import { boxBetween, regionBox } from "@orthant/core/lattice";
import { catalogOf, openSave } from "@orthant/save";
import { codeOfRejection } from "@orthant/testkit";
import { expect, test } from "vitest";
import { SmallCluster, type SmallNode } from "./small-cluster.ts";

const CHEST = { chest: { properties: { facing: ["north", "east"] } } } as const;
const REGION = regionBox([0, 0, 0, 0]);

async function cluster(
  names: readonly string[],
): Promise<{ readonly small: SmallCluster; readonly nodes: readonly SmallNode[] }> {
  const small = new SmallCluster();
  await small.create();
  const nodes: SmallNode[] = [];
  for (const name of names) nodes.push(await small.node(name));
  await small.until(() => nodes.some(({ node }) => node.owns("0")));
  return { small, nodes };
}

/** Returns the blocks in the last save of a shard. */
async function savedBlocks(small: SmallCluster, shard: string): Promise<BlockCatalog> {
  const term = await small.folders.termOf(shard);
  const save = await openSave(small.store.disk(`${small.world}/shards/${shard}/e${term}`));
  const catalog = catalogOf(save.global.description);
  await save.close();
  return catalog;
}

test("[K37] a type that one gateway defines can be placed through another one, and properties keep data", async () => {
  const { small } = await cluster(["a"]);
  const { gateway } = await small.gateway();
  const { gateway: other } = await small.gateway();
  await small.settled(other.world.load(REGION));
  const { chest } = await small.settled(gateway.defineBlocks(CHEST));
  expect(chest.id({ facing: "east" })).toBe(chest.id() + 1);
  // At once: the owner may not have seen the new map yet.
  const voxel = [1, 2, 3, 0] as const;
  const data = Uint8Array.of(7);
  const set = (block: number, editId: number, more: { readonly data?: Uint8Array } = {}) =>
    other.world.edit({ kind: "voxels", placements: [{ voxel, block, ...more }] }, { clientId: 8n, editId });
  expect((await small.settled(set(chest.id(), 1, { data }))).status).toBe("applied");
  expect((await small.settled(set(chest.id({ facing: "east" }), 2))).status).toBe("applied");
  await small.pass(100);
  expect(other.world.state.voxelAt(...voxel)).toBe(chest.id({ facing: "east" }));
  expect(other.world.state.dataAt(...voxel)).toEqual(data);
  for (const { world } of [gateway, other]) expect(world.catalog.id("chest")).toBe(chest.id());
  await small.settled(gateway.renameBlock("chest", "box"));
  await small.settled(other.retireBlock("box"));
  await small.pass(5_000);
  const saved = (await small.settled(savedBlocks(small, "0"))).types.at(-1);
  expect([saved?.name, saved?.retired, saved?.id]).toEqual(["box", true, chest.id()]);
});

test("[K37] a type that one gateway changes is changed at the others, at owners and in their saves", async () => {
  const { small, nodes } = await cluster(["a", "b"]);
  const { gateway } = await small.gateway();
  const { gateway: other } = await small.gateway();
  await small.settled(gateway.defineBlocks(CHEST));
  await small.settled(other.changeBlock("chest", { light: 7, opacity: 2, solid: false }));
  await small.settled(gateway.defineBlocks({ chest: { colour: 5 } }, { change: true }));
  const wanted = { light: 7, opacity: 2, solid: false, colour: 5 };
  await small.pass(100);
  for (const { world } of [gateway, other]) expect(world.catalog.byName("chest")).toMatchObject(wanted);
  await small.pass(5_000);
  expect((await small.settled(savedBlocks(small, "0"))).byName("chest")).toMatchObject(wanted);
  const owner = nodes.find(({ node }) => node.owns("0"));
  owner?.backbone.kill();
  owner?.node.kill(new Error("killed"));
  await small.until(() => nodes.some(({ node }) => node !== owner?.node && node.owns("0")));
  const { gateway: late } = await small.gateway();
  expect(late.world.catalog.byName("chest")).toMatchObject(wanted);
  expect(await small.settled(codeOfRejection(late.changeBlock("chess", { light: 1 })))).toBe("ORT_ARGUMENT");
});

test("[K37] two gateways that define types at the same time give them different ids", async () => {
  const { small } = await cluster(["a"]);
  const gateways = [(await small.gateway()).gateway, (await small.gateway()).gateway];
  const made = await small.settled(
    Promise.all(gateways.map((gateway, at) => gateway.defineBlocks({ shared: {}, [`own ${at}`]: {} }))),
  );
  const ids = made.flatMap((handles) => Object.values(handles).map((handle) => handle.id()));
  expect(new Set(ids).size).toBe(3);
  await small.pass(100);
  for (const { world } of gateways) {
    expect(world.catalog.types.slice(-3).map(({ name }) => name)).toEqual(
      expect.arrayContaining(["shared", "own 0", "own 1"]),
    );
  }
  const contradiction = gateways[0]?.defineBlocks({
    shared: { solid: false, properties: { lit: ["no", "yes"] } },
  });
  expect(await small.settled(codeOfRejection(contradiction ?? Promise.resolve()))).toBe("ORT_ARGUMENT");
});

test("[K37] an owner rejects a block that no map has", async () => {
  const { small } = await cluster(["a"]);
  const { gateway } = await small.gateway();
  const edit = small.edit(gateway, [1, 2, 3, 0], gateway.world.catalog.endId);
  expect(await small.settled(codeOfRejection(edit))).toBe("ORT_BLOCKS");
});

test("[K37] new types survive the loss of the table and all nodes, and reach shards that split and move", async () => {
  const { small, nodes } = await cluster(["a", "b"]);
  const { gateway, backbone } = await small.gateway();
  const { chest } = await small.settled(gateway.defineBlocks(CHEST));
  expect((await small.settled(small.edit(gateway, [1, 2, 3, 0], chest.id()))).status).toBe("applied");
  gateway.close();
  backbone.kill();
  for (const { node, backbone: own } of nodes) {
    own.kill();
    node.kill(new Error("killed"));
  }
  small.hub.table.lose();
  const { node: late } = await small.node("late");
  await small.until(() => late.owns("0"));
  await small.settled(late.split("0", boxBetween([1, -8, -8, -8], [8, 8, 8, 8]), "east"));
  const { node: heir } = await small.node("heir");
  await small.settled(late.move("east", "heir"));
  await small.until(() => heir.owns("east"));
  const { gateway: again } = await small.gateway();
  expect(again.world.catalog.id("chest")).toBe(chest.id());
  expect((await small.settled(small.edit(again, [65, 2, 3, 0], chest.id(), 6n))).status).toBe("applied");
  await small.settled(again.world.load(REGION));
  expect(again.world.state.voxelAt(1, 2, 3, 0)).toBe(chest.id());
  await small.pass(5_000);
  for (const shard of ["0", "east"])
    expect((await small.settled(savedBlocks(small, shard))).id("chest")).toBe(chest.id());
});
