import { deepEqual, equal, ok } from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { NodeDisk } from "@orthant/disk/node";
import {
  type ChunkColumn,
  openRegion,
  readMinecraftLevel,
  readNbtCompound,
  type VoxelPart,
} from "@orthant/formats/readers";
import { goldenPath } from "@orthant/testkit/golden";
import { attemptRow, type GoldenRow, type GoldenSuite, parseJson, row } from "../suite.ts";
import { hashCompound } from "./canonical-nbt.ts";
import { type ExpectedVoxels, hashStates, stateIn, VoxelTotals, visitPart } from "./found-voxels.ts";

const FOLDER = "imports/minecraft";
const REGIONS = [
  "1.8.9/r.-1.0",
  "1.9/r.-1.-1",
  "1.11.2/r.-1.0",
  "1.12.2/r.0.-1",
  "1.13.2/r.-1.-1",
  "1.14.4/r.0.-1",
  "1.16/r.0.-1",
  "1.17.1/r.0.0",
  "1.18.2/r.0.0",
  "1.19.4/r.0.0",
  "1.20.6/r.0.0",
  "1.21.1/r.0.0",
  "variants/r.0.0",
];

interface ExpectedRegion extends ExpectedVoxels {
  readonly dataVersions: Readonly<Record<string, number>>;
  readonly chunkCount: number;
  readonly sectionCount: number;
  readonly blockEntities: readonly {
    readonly pos: readonly number[];
    readonly id: string;
    readonly sha256: string;
  }[];
  readonly chunks: readonly {
    readonly x: number;
    readonly z: number;
    readonly sectorOffset: number;
    readonly sectorCount: number;
    readonly timestamp: number;
    readonly status?: string | null;
    readonly sections: readonly number[];
    readonly statesSha256: string;
    readonly blockEntities: number;
  }[];
}

/** Region files of all versions, a row for each column and four for each file; and `level.dat`. */
export const importedRegionSuites: readonly GoldenSuite[] = [
  ...REGIONS.map((name) => ({
    file: `${FOLDER}/${name}.expected.json`,
    check: (bytes: Uint8Array) => checkRegion(name, parseJson<ExpectedRegion>(bytes)),
  })),
  { file: `${FOLDER}/level/level.expected.json`, check: checkLevel },
];

async function checkRegion(name: string, expected: ExpectedRegion): Promise<readonly GoldenRow[]> {
  const [folder = "", file = ""] = name.split("/");
  const disk = new NodeDisk(goldenPath(FOLDER, folder));
  const region = await openRegion(disk, `${file}.mca`);
  const columns: ChunkColumn[] = [];
  for await (const column of region.columns()) columns.push(column);
  await region.close();
  const slots = new Map(region.slots.map((slot) => [`${slot.x},${slot.z}`, slot]));
  const byPlace = new Map(columns.map((column) => [`${column.x},${column.z}`, column]));
  const sections = columns.flatMap((column) => column.sections);
  return [
    ...expected.chunks.map((chunk) =>
      row(`${name} chunk [${chunk.x}, ${chunk.z}]`, () => {
        const slot = slots.get(`${chunk.x},${chunk.z}`);
        deepEqual(
          [slot?.offset, slot?.length, slot?.savedAt],
          [chunk.sectorOffset * 4096, chunk.sectorCount * 4096, chunk.timestamp],
        );
        const column = byPlace.get(`${chunk.x},${chunk.z}`);
        ok(column !== undefined, "missing");
        equal(column.status, chunk.status?.replace("minecraft:", ""));
        deepEqual(
          column.sections.map(({ min }) => min[1] / 16),
          chunk.sections,
        );
        equal(hashStates(column.sections), chunk.statesSha256);
        equal(column.blockData.length, chunk.blockEntities);
      }),
    ),
    row(`${name} header`, () => {
      deepEqual(region.findings, []);
      equal(region.slots.length, expected.chunkCount);
      equal(sections.length, expected.sectionCount);
      const versions = new Set(columns.map(({ dataVersion }) => String(dataVersion ?? "None")));
      deepEqual([...versions], Object.keys(expected.dataVersions));
    }),
    row(`${name} counts`, () => {
      const totals = new VoxelTotals();
      for (const section of sections) visitPart(section, (x, y, z, state) => totals.add(x, y, z, state));
      totals.check(expected);
    }),
    row(`${name} samples`, () => checkSamples(columns, expected)),
    row(`${name} block entities`, () => checkBlockData(columns, expected)),
  ];
}

function checkSamples(columns: readonly ChunkColumn[], { samples }: ExpectedRegion): void {
  const byPlace = new Map<string, VoxelPart>();
  for (const { sections } of columns)
    for (const section of sections) byPlace.set(section.min.join(","), section);
  ok(samples.length > 0);
  for (const [x, y, z, state] of samples) {
    const section = byPlace.get([x, y, z].map((at) => Math.floor(at / 16) * 16).join(","));
    equal(section && stateIn(section, [x, y, z]), state, `at [${x}, ${y}, ${z}]`);
  }
}

function checkBlockData(columns: readonly ChunkColumn[], { blockEntities }: ExpectedRegion): void {
  const found = columns.flatMap(({ blockData }) =>
    blockData.map(
      ({ position, id, nbt }) => `${position} ${id} ${hashCompound(readNbtCompound(nbt).toMap())}`,
    ),
  );
  deepEqual(found.sort(), blockEntities.map(({ pos, id, sha256 }) => `${pos} ${id} ${sha256}`).sort());
}

async function checkLevel(): Promise<readonly GoldenRow[]> {
  return [
    await attemptRow("level.dat", async () => {
      const bytes = await readFile(goldenPath(FOLDER, "level/level.dat"));
      deepEqual(await readMinecraftLevel(bytes), {
        name: "prismarine-world",
        seed: -559038737n,
        spawn: undefined,
        dataVersion: undefined,
        gameVersion: "1.20.6",
        generator: "flat",
      });
    }),
  ];
}
