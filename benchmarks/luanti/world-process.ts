import { type BlockPlacement, chunkBox, openOrCreateWorld } from "orthant";
import { timeAsync } from "../figure.ts";
import { blockId, FILLED, rock, scatteredOre } from "./rock.ts";
import type { WorldOrder, WorldReport, WorldSettings } from "./world-orders.ts";

/** All chunks in which voxels are scattered, and more. */
const LOADED = chunkBox([-4, -4, -4], [16, 16, 16]);
/** Edits of a script that wait for the journal together. */
const EDITS_AT_ONCE = 256;

const { folder, durability } = JSON.parse(process.argv[2] ?? "{}") as WorldSettings;
const world = await openOrCreateWorld(
  folder,
  { dimensions: 3, generator: rock({ seed: 0n }) },
  { durability, generators: [rock] },
);
let chosen: readonly BlockPlacement<3>[] = [];

process.on("message", async (order: WorldOrder) => {
  process.send?.(await carryOut(order));
});

async function carryOut(order: WorldOrder): Promise<WorldReport> {
  const none = { wallNs: 0, cpuNs: 0, found: 0 };
  const timed = async (work: () => Promise<unknown>): Promise<WorldReport> => {
    return { ...(await timeAsync(work)), found: 0 };
  };
  switch (order.kind) {
    case "choose":
      chosen = scatteredOre(order.voxels);
      return none;
    case "set":
      return timed(durability === "journal" ? setTogether : setEach);
    case "set now":
      await world.loadChunks(LOADED, { toEdit: true });
      return timed(setNow);
    case "bulk": {
      const positions = Int32Array.from(chosen.flatMap(({ position }) => position));
      const blocks = new Uint16Array(chosen.length).fill(blockId(order.block));
      return timed(() => world.edit({ positions, blocks }));
    }
    case "bulk list": {
      const block = blockId(order.block);
      const placements = chosen.map(({ position }) => ({ position, block }));
      return timed(() => world.edit(placements));
    }
    case "fill":
      return timed(() => world.fill(FILLED, blockId(order.block)));
    case "save":
      return timed(() => world.save());
    case "count":
      return { ...none, found: await count() };
  }
}

/** Without a journal, an edit is made when its promise resolves. */
async function setEach(): Promise<void> {
  for (const { position, block = 0 } of chosen) await world.set(position, block);
}

/** Without a promise for each. They are on the disk after the next save or, with a journal, when they are durable. */
async function setNow(): Promise<void> {
  for (const { position, block = 0 } of chosen) world.setNow(position, block);
  if (durability === "journal") await world.whenDurable();
}

/** With a journal, an edit is on the disk when its promise resolves: some wait together. */
async function setTogether(): Promise<void> {
  for (let start = 0; start < chosen.length; start += EDITS_AT_ONCE) {
    const some = chosen.slice(start, start + EDITS_AT_ONCE);
    await Promise.all(some.map(({ position, block = 0 }) => world.set(position, block)));
  }
}

async function count(): Promise<number> {
  let found = 0;
  for (const { position, block } of chosen) if ((await world.get(position)) === block) found++;
  return found;
}
