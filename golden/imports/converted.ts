import { deepEqual, equal, ok } from "node:assert/strict";
import type { Chunk } from "@orthant/core";
import { WHOLE_LATTICE } from "@orthant/core/lattice";
import { PLAIN_DATA } from "@orthant/core/world";
import { MemoryDisk } from "@orthant/disk";
import { isWhole } from "@orthant/disk/files";
import { NodeDisk } from "@orthant/disk/node";
import { minecraftFormat } from "@orthant/formats/imports";
import { flattenBlock, NOT_STORED, openRegion, type VoxelPart } from "@orthant/formats/readers";
import { catalogOf, openSave, verifySave } from "@orthant/save";
import { FakeTime } from "@orthant/testkit";
import { goldenPath } from "@orthant/testkit/golden";
import { attemptRow, type GoldenSuite } from "../suite.ts";

const FOLDER = "imports/minecraft";
const REGIONS = [
  "1.8.9/r.-1.0",
  "1.12.2/r.0.-1",
  "1.14.4/r.0.-1",
  "1.16/r.0.-1",
  "1.18.2/r.0.0",
  "1.21.1/r.0.0",
];

/** Region files as worlds of ours, one row each: every voxel of every finished column, and all data. */
export const convertedWorldSuites: readonly GoldenSuite[] = REGIONS.map((name) => ({
  file: `${FOLDER}/${name}.expected.json`,
  check: async () => [await attemptRow(`${name} converted`, () => checkConverted(name))],
}));

async function checkConverted(name: string): Promise<void> {
  const [folder = "", file = ""] = name.split("/");
  const disk = new NodeDisk(goldenPath(FOLDER, folder));
  const world = await minecraftFormat.detect(disk);
  ok(world !== undefined);
  equal(world.evidence, `${file}.mca`);
  const environment = {
    time: new FakeTime(),
    progress: () => ({ advance: () => undefined, end: () => undefined }),
    note: () => undefined,
  };
  const conversion = await minecraftFormat.convert({ disk, world, values: {}, environment }, "orthant");
  const made = new MemoryDisk();
  const { losses } = await conversion.run(made, () => undefined).finally(() => conversion.close());
  equal(
    losses.find(({ what }) => what === "damaged parts"),
    undefined,
  );
  equal(isWhole(await verifySave(made)), true, "what we wrote is damaged");
  const save = await openSave(made);
  const chunks = new Map<string, Chunk>();
  for (const leaf of await save.leavesIn(WHOLE_LATTICE)) {
    for (const { position, chunk } of await save.readChunks(leaf))
      chunks.set(position.slice(0, 3).join(","), chunk);
  }
  const catalog = catalogOf(save.global.description);
  const labels = new Map<number, string>();
  const labelOf = (block: number): string => {
    const known = labels.get(block);
    if (known !== undefined) return known;
    const { type = "", properties = {} } = catalog.describe(block) ?? {};
    const pairs = Object.entries(properties).map(([property, value]) => `${property}=${value}`);
    const label = pairs.length === 0 ? type : `${type}[${pairs.sort().join(",")}]`;
    labels.set(block, label);
    return label;
  };
  const region = await openRegion(disk, `${file}.mca`);
  try {
    for await (const { x, z, sections, blockData, isFinished } of region.columns()) {
      if (!isFinished) continue;
      for (const section of sections) {
        const y = section.min[1] / 16;
        const chunk = chunks.get(`${x},${y},${z}`);
        const voxels = chunk?.voxels() ?? new Uint16Array(4_096);
        const differing = differingVoxel(section, (index) => labelOf(voxels[index] as number));
        equal(differing, undefined);
        const own = blockData.filter(({ position }) => Math.floor(position[1] / 16) === y);
        equal(chunk?.data.size ?? 0, own.length);
        for (const { position, id } of own) {
          const [dx, dy, dz] = position.map((at) => ((at % 16) + 16) % 16) as [number, number, number];
          const data = PLAIN_DATA.decode(chunk?.dataAt(dx + dy * 16 + dz * 256) ?? new Uint8Array(0));
          deepEqual((data as { readonly id: unknown }).id, id);
        }
      }
    }
  } finally {
    await region.close();
    await save.close();
  }
}

function differingVoxel(
  { palette, indices }: VoxelPart,
  labelAt: (index: number) => string,
): string | undefined {
  const expected = palette.map((state) => {
    const flat = /^\d/.test(state) ? (flattenBlock(state)?.state ?? state) : state;
    return /^minecraft:(?:cave_|void_)?air$/.test(flat) ? "air" : flat;
  });
  for (let at = 0; at < 4_096; at++) {
    const index = indices === undefined ? 0 : (indices[at] as number);
    const [x, z, y] = [at & 15, (at >>> 4) & 15, at >>> 8];
    const found = labelAt(x + y * 16 + z * 256);
    const wanted = index === NOT_STORED ? "air" : expected[index];
    if (found !== wanted) return `${found} where ${wanted} has to be, at [${x}, ${y}, ${z}]`;
  }
  return undefined;
}
