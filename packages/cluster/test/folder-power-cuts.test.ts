import { equal, ok } from "node:assert/strict";
import { DiskFolders, ShardFolders, type ShardMap } from "@orthant/cluster";
import { shardsOf } from "@orthant/cluster/internal";
import { chunkShape, DEFAULT_BLOCKS } from "@orthant/core";
import { FLAT_DEFAULTS, flatGenerator, generatorRef } from "@orthant/core/generate";
import { boxBetween } from "@orthant/core/lattice";
import { type Disk, type FolderDisk, MemoryDisk } from "@orthant/disk";
import { CRASH_MODELS, CrashDisk, type DiskFault, explorePowerCuts, FaultDisk, WEAK } from "@orthant/testkit";
import { expect, test } from "vitest";

const WORLD = "town";
const MAP: ShardMap = {
  ...{ generation: 1, mark: 5n, first: "0", splits: [] },
  world: {
    ...{ worldId: 6n, name: "Town", spawn: [0, 0, 0, 0], shape: chunkShape([4, 4, 4, 1]) },
    ...{ generator: generatorRef(flatGenerator, FLAT_DEFAULTS, 1n), catalog: DEFAULT_BLOCKS },
  },
};
const SPLIT: ShardMap = {
  ...MAP,
  generation: 2,
  splits: [{ from: "0", sectors: boxBetween([0, 0, 0, 0], [1, 1, 1, 1]), to: "east" }],
};
const LATER: ShardMap = { ...SPLIT, generation: 3 };

/** Stands in for the save in a shard's folder; the saves themselves are proved elsewhere. */
async function save(disk: Disk, name: string): Promise<void> {
  const file = await disk.open(name, "create");
  await file.append(new TextEncoder().encode(name));
  await file.sync();
  await file.close();
  await disk.syncDirectory("");
}

/** Does everything that a cluster does to the shared folder. Calls `onDone` when a step is durable. */
async function play(disk: FolderDisk, onDone: () => void): Promise<void> {
  const folders = new ShardFolders(new DiskFolders(disk), WORLD);
  let writers = 0n;
  const random = (): bigint => ++writers;
  await save(await folders.create("0", 3), "first");
  await folders.writeMap(MAP, random);
  onDone();
  const claimed = await folders.claim("0", 4);
  onDone();
  await save(claimed, "second");
  onDone();
  await save(await folders.create("east"), "copied");
  await save(await folders.claim("east", 5), "caught-up");
  await folders.writeMap(SPLIT, random);
  onDone();
  await folders.claim("0", 6);
  onDone();
  // Another node wrote the next map and died before the last step.
  const hasty = new FaultFolders(disk, {
    operation: "syncDirectory",
    path: /^town\/map$/,
    nth: 1,
    kind: "skip",
  });
  await new ShardFolders(new DiskFolders(hasty), WORLD).writeMap(LATER, random);
  await folders.writeMap(LATER, random);
  onDone();
}

/** Describes what a node finds: the map, and for each of its shards the folders and their content. */
async function found(disk: MemoryDisk): Promise<string> {
  const store = new DiskFolders(disk);
  const map = await new ShardFolders(store, WORLD).readMap();
  if (map === undefined) return "nothing";
  const lines = [`map ${map.generation}`];
  for (const shard of shardsOf(map)) {
    for (const folder of await store.names(`${WORLD}/shards/${shard}`)) {
      const files = await store.disk(`${WORLD}/shards/${shard}/${folder}`).list("");
      lines.push(`${shard} at ${folder}: ${files.map(({ name }) => name)}`);
    }
  }
  return lines.join("; ");
}

/** A disk with a fault whose directories can be moved. */
class FaultFolders extends FaultDisk implements FolderDisk {
  readonly #disk: FolderDisk;

  constructor(disk: FolderDisk, fault?: DiskFault) {
    super(disk, fault);
    this.#disk = disk;
  }

  moveDirectory(from: string, to: string): Promise<void> {
    return this.#disk.moveDirectory(from, to);
  }
}

async function prove(models: typeof CRASH_MODELS, fault?: DiskFault): Promise<{ readonly disks: number }> {
  const recorder = new CrashDisk();
  const doneAt: number[] = [];
  const images = [recorder.image()];
  await play(new FaultFolders(recorder, fault), () => {
    doneAt.push(recorder.log.length);
    images.push(recorder.image());
  });
  const states = await Promise.all(images.map((image) => found(new MemoryDisk(image))));
  equal(new Set(states).size, 7);
  return explorePowerCuts(recorder, { models, disksPerCut: 40, seed: 3 }, async ({ disk, cutAt }) => {
    const done = doneAt.filter((length) => length <= cutAt).length;
    const state = await found(disk);
    ok([states[done], states[done + 1]].includes(state), `after step ${done}: ${state}`);
    if (done === 0) return;
    // The next owner can take the shard.
    const folders = new ShardFolders(new DiskFolders(disk), WORLD);
    await folders.claim("0", 9);
    equal(await folders.termOf("0"), 9);
  });
}

test.each(CRASH_MODELS.map((model) => [model.name, model] as const))(
  "[K21] [K27] %s leaves every shard whole, under one name, which is never one from before a take-over",
  async (_name, model) => {
    expect((await prove([model])).disks).toBeGreaterThan(50);
  },
);

test.each<[string, RegExp, DiskFault["operation"], number]>([
  ["the sync of what is above all", /^$/, "syncDirectory", 1],
  ["the sync of a world's folder", /^town$/, "syncDirectory", 1],
  ["the sync of the shards' folder", /^town\/shards$/, "syncDirectory", 1],
  ["the sync of a folder that was moved", /^town\/shards\/0$/, "syncDirectory", 2],
  ["the sync of the new shard's folder", /^town\/shards\/east$/, "syncDirectory", 1],
  ["the sync of a map's bytes", /^town\/map\//, "sync", 1],
  ["the sync of a map's name", /^town\/map$/, "syncDirectory", 1],
  ["the sync of a map's name that another node wrote", /^town\/map$/, "syncDirectory", 3],
])("[K21] [K27] power cuts reveal that %s is missing", async (_step, path, operation, nth) => {
  await expect(prove([WEAK], { operation, path, nth, kind: "skip", sticky: true })).rejects.toThrow(
    "after step",
  );
});
