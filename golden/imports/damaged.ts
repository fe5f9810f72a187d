import { deepEqual, equal, ok } from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { isOrthantError } from "@orthant/core";
import type { Finding } from "@orthant/disk/files";
import { NodeDisk } from "@orthant/disk/node";
import {
  type ChunkColumn,
  NOT_STORED,
  openRegion,
  openSchematic,
  openVox,
  type RegionFile,
  type Schematic,
  type VoxFile,
} from "@orthant/formats/readers";
import { goldenPath } from "@orthant/testkit/golden";
import { attemptRow, type GoldenSuite, parseJson } from "../suite.ts";
import { hashStates } from "./found-voxels.ts";

interface ExpectedDamage {
  readonly damage: string;
  readonly readableChunks?: readonly (readonly [number, number])[];
}

/** All damaged region files, schematics and files of MagicaVoxel, one row each. */
export const damagedImportSuites: readonly GoldenSuite[] = [
  suiteOf("imports/minecraft/damaged", checkRegion),
  suiteOf("imports/schematics/damaged", async (folder, file) => {
    const check = SCHEMATICS[file];
    ok(check !== undefined, "nothing is known about it");
    await check(async () => openSchematic(await readFile(join(folder, file)), file));
  }),
  suiteOf("imports/vox/damaged", async (folder, file) => {
    const check = VOX_FILES[file];
    ok(check !== undefined, "nothing is known about it");
    const bytes = await readFile(join(folder, file));
    await check(async () => openVox(bytes, file));
  }),
];

function suiteOf(
  folder: string,
  check: (folder: string, file: string, expected: ExpectedDamage) => Promise<void>,
): GoldenSuite {
  return {
    file: `${folder}/EXPECT.json`,
    check: (bytes) =>
      Promise.all(
        Object.entries(parseJson<Record<string, ExpectedDamage>>(bytes)).map(([file, expected]) =>
          attemptRow(file, () => check(goldenPath(folder), file, expected)),
        ),
      ),
  };
}

/** What region files say, beside the chunks that are readable: a part of the only finding. */
const REGION_FINDINGS: Readonly<Record<string, RegExp | undefined>> = {
  "control-good.r.0.-1.mca": undefined,
  "empty.r.0.-1.mca": /empty file/,
  "offset-beyond-end.r.0.-1.mca": /chunk \[22, -5\] is left out: .* of a file of 32768/,
  "offset-inside-header.r.0.-1.mca": /chunk \[22, -5\] is left out: .* at 4096/,
  "overlapping-sectors.r.0.-1.mca": /chunk \[22, -5\] says that it is \[21, -9\], in sectors of another one/,
  "unknown-compression.r.0.-1.mca": /chunk \[22, -5\] .*compression type 9/,
  "corrupt-zlib.r.0.-1.mca": /chunk \[22, -5\] is left out/,
  "length-lies-huge.r.0.-1.mca": /chunk \[22, -5\] .*a length of 2147483647/,
  "length-zero.r.0.-1.mca": /chunk \[22, -5\] .*a length of 0/,
  "tail-cut.r.0.-1.mca": /chunk \[24, -1\] is left out/,
  "unpadded-tail.r.0.-1.mca": undefined,
  "nbt-nested-600.r.0.-1.mca": /chunk \[22, -5\] .*deeper than 512/,
  "nbt-lists-nested-200000.r.0.-1.mca": /chunk \[22, -5\] .*deeper than 512/,
  "nbt-list-2147483647.r.0.-1.mca": /chunk \[22, -5\] .*2147483647 elements/,
  "nbt-list-of-end-2147483647.r.0.-1.mca": /chunk \[22, -5\] .*2147483647 end tags/,
  "nbt-negative-length.r.0.-1.mca": /chunk \[22, -5\] .*-2147483648 elements/,
  "palette-index-out-of-range.r.0.-1.mca": /section 2 of chunk \[22, -5\] has 1 voxels .* its 8/,
  "longs-too-short.r.0.-1.mca":
    /section 2 of chunk \[22, -5\] has 255 longs where .* need 256, and is left out/,
  "position-disagrees.r.0.-1.mca": /chunk \[22, -5\] says that it is \[29, -5\]; it stays/,
  "inflate-bomb-64mb.r.0.-1.mca": /chunk \[22, -5\] .*more than 16777216 bytes/,
};

async function checkRegion(folder: string, file: string, expected: ExpectedDamage): Promise<void> {
  const disk = new NodeDisk(folder);
  if (file === "header-truncated.r.0.-1.mca") {
    await refused(() => openRegion(disk, file), "ORT_TRUNCATED");
    return;
  }
  const good = await columnsOf(await openRegion(disk, "control-good.r.0.-1.mca"));
  const region = await openRegion(disk, file);
  const found = await columnsOf(region);
  deepEqual(
    [...found.keys()].sort(),
    (expected.readableChunks ?? []).map((place) => place.join(",")).sort(),
    "readable chunks",
  );
  ok(file in REGION_FINDINGS, "nothing is known about it");
  checkFindings(region.findings, REGION_FINDINGS[file]);
  for (const [place, column] of found) {
    const differing = differingSections(good.get(place) as ChunkColumn, column);
    const isHurt = place === "22,-5" && /^(?:palette|longs)-/.test(file);
    deepEqual(differing, isHurt ? [32] : [], `sections of ${place} that differ`);
  }
}

async function columnsOf(region: RegionFile): Promise<ReadonlyMap<string, ChunkColumn>> {
  const columns = new Map<string, ChunkColumn>();
  for await (const column of region.columns()) columns.set(`${column.x},${column.z}`, column);
  await region.close();
  return columns;
}

function differingSections(good: ChunkColumn, found: ChunkColumn): readonly number[] {
  const hashes = new Map(found.sections.map((section) => [section.min[1], hashStates([section])]));
  return good.sections
    .filter((section) => hashes.get(section.min[1]) !== hashStates([section]))
    .map(({ min }) => min[1]);
}

const VOLUME = 60;

const SCHEMATICS: Readonly<Record<string, (open: () => Promise<Schematic>) => Promise<void>>> = {
  "blockdata-too-short.schem": async (open) => {
    const schematic = await open();
    checkFindings(schematic.findings, /53 voxels where the size has 60/);
    equal(storedVoxels(schematic), 53);
    ok(schematic.parts[0]?.indices?.subarray(53).every((index) => index === NOT_STORED));
  },
  "blockdata-too-long.schem": async (open) => {
    const schematic = await open();
    checkFindings(schematic.findings, /5 voxels left over after 60/);
    equal(storedVoxels(schematic), VOLUME);
  },
  "varint-unterminated.schem": (open) => refused(open, "ORT_FOREIGN"),
  "varint-endless.schem": (open) => refused(open, "ORT_FOREIGN"),
  "palette-index-missing.schem": async (open) => {
    const schematic = await open();
    checkFindings(schematic.findings, /1 voxels with no state in the palette/);
    equal(schematic.parts[0]?.indices?.[VOLUME - 1], NOT_STORED);
    equal(storedVoxels(schematic), VOLUME - 1);
  },
  "size-lies.schem": (open) => refused(open, "ORT_LIMIT"),
  "bomb-512-cubed.schem": (open) => refused(open, "ORT_LIMIT"),
  "gzip-cut.schem": (open) => refused(open, "ORT_DEFLATE"),
  "block-entity-outside.schem": async (open) => {
    const schematic = await open();
    checkFindings(schematic.findings, /a block entity .* at \[9, .*outside, is left out/);
    equal(storedVoxels(schematic), VOLUME);
    equal(schematic.parts[0]?.blockData.length, 1);
  },
  "longs-too-short.litematic": async (open) => {
    const schematic = await open();
    checkFindings(schematic.findings, /9 longs where 125 voxels need 10/);
    deepEqual(schematic.parts, []);
  },
  "size-int-min.litematic": async (open) => {
    const schematic = await open();
    checkFindings(schematic.findings, /a size of \[-2147483648/);
    deepEqual(schematic.parts, []);
  },
};

function storedVoxels({ parts }: Schematic): number {
  return parts.reduce(
    (sum, { indices }) => sum + (indices?.filter((index) => index !== NOT_STORED).length ?? 0),
    0,
  );
}

const VOX_FILES: Readonly<Record<string, (open: () => Promise<VoxFile>) => Promise<void>>> = {
  "xyzi-size-lies.vox": async (open) => {
    const vox = await open();
    checkFindings(vox.findings, /states 2147483632 bytes/);
    deepEqual(vox.models, []);
  },
  "voxel-count-lies.vox": async (open) => {
    const vox = await open();
    checkFindings(vox.findings, /states 268435456 voxels, 7 are there/);
    deepEqual(modelVoxels(vox), [7]);
  },
  "negative-chunk-size.vox": (open) => refused(open, "ORT_FOREIGN"),
  "main-children-size-lies.vox": async (open) => {
    const vox = await open();
    checkFindings(vox.findings, /MAIN states 10 bytes .* read up to the end of the file/);
    deepEqual(modelVoxels(vox), [7]);
  },
  "voxel-outside-size.vox": async (open) => {
    const vox = await open();
    checkFindings(vox.findings, /1 voxels of model 0 outside/, /1 voxels of model 0 with colour 0/);
  },
  "scene-cycle.vox": async (open) => {
    const vox = await open();
    checkFindings(vox.findings, /contains itself/);
    deepEqual(
      vox.instancesAt(0).map(({ translation }) => translation),
      vox.models.map(() => [0, 0, 0]),
    );
  },
  "missing-references.vox": async (open) => {
    const vox = await open();
    checkFindings(
      vox.findings,
      /rotation "255"/,
      /translation/,
      /node \d+ of the scene is not there/,
      /shows model 7 of 1/,
    );
  },
  "huge-size.vox": async (open) => {
    const vox = await open();
    checkFindings(vox.findings, /a size of \[2147483647, 2147483647, 2147483647\]/);
    ok(vox.models.every(({ size }) => size.every((edge) => edge <= 256)));
  },
  "cut.vox": async (open) => {
    const vox = await open();
    checkFindings(vox.findings, /MAIN states 1104 bytes/, /"RGBA" states 1024 bytes/);
    deepEqual(modelVoxels(vox), [7]);
    deepEqual([...vox.palette.subarray(0, 8)], [255, 255, 255, 255, 255, 255, 204, 255]);
  },
  "not_a.vox": (open) => refused(open, "ORT_MAGIC"),
};

function modelVoxels({ models }: VoxFile): readonly number[] {
  return models.map(({ voxels }) => voxels.length / 4);
}

/** Requires exactly one finding for each pattern; none for a file that is whole. */
function checkFindings(findings: readonly Finding[], ...patterns: readonly (RegExp | undefined)[]): void {
  const wanted = patterns.filter((pattern) => pattern !== undefined);
  const messages = findings.map(({ message }) => message);
  for (const pattern of wanted) {
    ok(
      messages.some((message) => pattern.test(message)),
      `no finding says ${pattern}, but ${JSON.stringify(messages)}`,
    );
  }
  equal(messages.length, wanted.length, JSON.stringify(messages));
}

async function refused(open: () => Promise<unknown>, code: string): Promise<void> {
  const error: unknown = await open().then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  ok(isOrthantError(error), `not refused: ${String(error)}`);
  equal(error.code, code);
}
