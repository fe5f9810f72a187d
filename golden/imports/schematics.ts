import { deepEqual, equal, ok } from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { openSchematic, readNbtCompound, type Schematic, type SchematicPart } from "@orthant/formats/readers";
import { goldenPath } from "@orthant/testkit/golden";
import { type GoldenRow, type GoldenSuite, parseJson, row } from "../suite.ts";
import { hashCompound } from "./canonical-nbt.ts";
import { type ExpectedVoxels, hashStates, stateIn, VoxelTotals, visitPart } from "./found-voxels.ts";

const FOLDER = "imports/schematics";
const FILES = [
  "litematica/1x1.litematic",
  "litematica/3x2x3.litematic",
  "litematica/4x4x4+1.litematic",
  "litematica/bus_cross8_design.litematic",
  "litematica/full_adder.litematic",
  "litematica/mislabelled-xor.schem",
  "litematica/round-trip.litematic",
  "litematica/ss-sorter.litematic",
  "litematica/test_coordinate_thingy.litematic",
  "litematica/wool_palette.litematic",
  "mcedit/legacy_super-market.schematic",
  "mcedit/viking-house1.schematic",
  "sponge-v2/and.schem",
  "sponge-v2/new_chest_test.schem",
  "sponge-v2/sample-2x2x2.schem",
  "sponge-v2/smallhouse1.schem",
  "sponge-v3/1_20_1_read_fail.schem",
  "sponge-v3/2x2_chunk_vert.schem",
  "sponge-v3/TRANSMIT002_hex_transmit_flat.schem",
  "sponge-v3/round-trip.schem",
  "sponge-v3/spongeV3.schem",
  "sponge-v3/test_cube.schem",
  "sponge-v3/workshop.schem",
  "structure/run_down_house_left_side-1.16.nbt",
  "structure/run_down_house_left_side.nbt",
  "structure/sky_fan.nbt",
  "synthetic/palette289-negative-sizes.litematic",
  "synthetic/same-content-v1.schem",
  "synthetic/same-content-v2.schem",
  "synthetic/same-content-v3.schem",
];

interface ExpectedSchematic extends ExpectedVoxels {
  readonly format: string;
  readonly version?: number;
  readonly spongeVersion?: number;
  readonly dataVersion?: number | null;
  readonly statesSha256?: string;
  readonly entities?: readonly string[];
  readonly regions?: readonly {
    readonly name: string;
    readonly size: readonly number[];
    readonly min: readonly number[];
    readonly counts: Readonly<Record<string, number>>;
    readonly statesSha256: string;
    readonly entities: number;
  }[];
  readonly blockEntities: readonly {
    readonly pos: readonly number[];
    readonly id: string;
    readonly sha256: string;
  }[];
}

const FORMATS: Readonly<Record<string, Schematic["format"]>> = {
  litematica: "litematica",
  "mcedit-schematic": "mcedit",
  "minecraft-structure-nbt": "structure",
  "sponge-schematic-v1": "sponge",
  "sponge-schematic-v2": "sponge",
  "sponge-schematic-v3": "sponge",
};

/** Schematics of all kinds, five rows each and one more for each region of a litematic. */
export const importedSchematicSuites: readonly GoldenSuite[] = FILES.map((name) => ({
  file: `${FOLDER}/${name}.expected.json`,
  check: (bytes: Uint8Array) => checkSchematic(name, parseJson<ExpectedSchematic>(bytes)),
}));

async function checkSchematic(name: string, expected: ExpectedSchematic): Promise<readonly GoldenRow[]> {
  const schematic = await openSchematic(await readFile(goldenPath(FOLDER, name)), name);
  const merged = mergedStates(schematic.parts);
  return [
    row(`${name} head`, () => {
      deepEqual(schematic.findings, []);
      equal(schematic.format, FORMATS[expected.format]);
      equal(schematic.version, expected.version ?? expected.spongeVersion);
      equal(schematic.dataVersion, expected.dataVersion ?? undefined);
    }),
    row(`${name} counts`, () => {
      const totals = new VoxelTotals();
      for (const [place, state] of merged) totals.add(...placeOf(place), state);
      totals.check(expected);
    }),
    row(`${name} samples`, () => {
      ok(expected.samples.length > 0);
      for (const [x, y, z, state] of expected.samples)
        equal(merged.get(`${x},${y},${z}`), state, `at [${x}, ${y}, ${z}]`);
    }),
    row(`${name} all states`, () => {
      const [only] = schematic.parts;
      if (schematic.parts.length === 1 && only !== undefined)
        equal(hashStates([only]), expected.statesSha256);
      else ok((expected.regions?.length ?? 0) > 1, "parts are missing");
    }),
    row(`${name} block entities`, () => checkBlockData(schematic, expected)),
    ...(expected.regions ?? []).map((region, index) =>
      row(`${name} region ${region.name}`, () => {
        const part = schematic.parts[index] as SchematicPart;
        deepEqual([part.name, part.min, part.size], [region.name, region.min, region.size.map(Math.abs)]);
        equal(hashStates([part]), region.statesSha256);
        equal(part.entities.length, region.entities);
      }),
    ),
  ];
}

/** Later parts win, except for their air. */
function mergedStates(parts: readonly SchematicPart[]): ReadonlyMap<string, string> {
  const merged = new Map<string, string>();
  for (const part of parts) {
    visitPart(part, (x, y, z, state) => {
      const place = `${x},${y},${z}`;
      if (state !== "minecraft:air" || !merged.has(place)) merged.set(place, state);
    });
  }
  for (const part of parts)
    for (const { position } of part.blockData) ok(stateIn(part, position) !== undefined);
  return merged;
}

function placeOf(text: string): readonly [number, number, number] {
  return text.split(",").map(Number) as unknown as readonly [number, number, number];
}

function checkBlockData({ parts, version, format }: Schematic, expected: ExpectedSchematic): void {
  const found = parts.flatMap(({ blockData }) =>
    blockData.map(({ position, id, nbt }) => {
      const fields = new Map(readNbtCompound(nbt).toMap());
      // The second reader leaves out the keys that belong to Sponge, not to the game.
      if (format === "sponge" && version !== 3)
        for (const name of ["Id", "Pos", "ContentVersion"]) fields.delete(name);
      return `${position} ${id === "" ? null : id} ${hashCompound(fields)}`;
    }),
  );
  deepEqual(
    found.sort(),
    expected.blockEntities.map(({ pos, id, sha256 }) => `${pos} ${id} ${sha256}`).sort(),
  );
  if (expected.entities !== undefined) {
    deepEqual(
      parts.flatMap(({ entities }) => entities.map(({ id }) => id)),
      expected.entities,
    );
  }
}
