import { deepEqual, equal, ok } from "node:assert/strict";
import { join } from "node:path";
import type { Position } from "@orthant/core";
import { chunkOfVoxel, WHOLE_LATTICE } from "@orthant/core/engine";
import { MemoryDisk } from "@orthant/disk";
import { isWhole } from "@orthant/disk/files";
import { verifySave } from "@orthant/save";
import {
  type EngineOptions,
  openWorldEngine,
  upgradeWorldEngine,
  type WorldEngine,
} from "@orthant/world/engine";
import { copyFolderToMemory } from "./polychora/folder-disk.ts";
import { findGoldenFolder, type GoldenRow, type GoldenSuite, parseJson } from "./suite.ts";

const FOLDER = "orthant-0.1";
const SAVES = ["tiles-2d", "land-3d", "isles-4d", "journal-3d"] as const;
/** A position without edits in any save. */
const UNTOUCHED: Position = [5_000_000, 0, 0, 0];
const MARK = 3;

type Voxel = readonly [x: number, y: number, z: number, w: number, block: number];

interface ExpectedWorld {
  readonly generation: number;
  readonly voxels: readonly Voxel[];
  readonly virgin: readonly Voxel[];
  readonly entities: readonly { readonly id: string; readonly position: readonly number[] }[];
  readonly players: readonly { readonly id: string; readonly name: string }[];
}

/** Worlds that Orthant 0.1 wrote: each opens unchanged, with exactly its content, and accepts commits. */
export const orthantSaveSuites: readonly GoldenSuite[] = SAVES.map((name) => ({
  file: `${FOLDER}/${name}/expected.json`,
  async check(bytes) {
    const expected = parseJson<ExpectedWorld>(bytes);
    const original = await copyFolderToMemory(join(findGoldenFolder() ?? "", FOLDER, name, "save"));
    return [
      await attemptRow("verify finds it whole", async () => ok(isWhole(await verifySave(original)))),
      ...(await contentRows("read only", original, expected, { readOnly: true })),
      ...(await commitRows("snapshot", original, expected)),
      ...(await commitRows("journal", original, expected)),
      ...(await keptRows(original)),
      ...(await upgradeRows(original, expected)),
    ];
  },
}));

/** Opens a copy, makes an edit, closes it, and compares everything again. */
async function commitRows(
  durability: "snapshot" | "journal",
  original: MemoryDisk,
  expected: ExpectedWorld,
): Promise<readonly GoldenRow[]> {
  const disk = new MemoryDisk(original.image());
  const commit = await attemptRow(`commits with durability ${durability}`, async () => {
    const world = await openWorldEngine(disk, { durability });
    await world.set(UNTOUCHED, MARK);
    await world.close();
    const again = await openWorldEngine(disk, { durability });
    equal(await again.get(UNTOUCHED), MARK);
    ok(again.generation > expected.generation);
    await again.close();
    ok(isWhole(await verifySave(disk)));
  });
  return [commit, ...(await contentRows(`after a ${durability} commit`, disk, expected, { readOnly: true }))];
}

/** Data that a chest of some game may have. */
const DATA = Uint8Array.of(1, 2, 3);

/** A world in its old formats takes data of a voxel, and has everything after an upgrade. */
async function upgradeRows(original: MemoryDisk, expected: ExpectedWorld): Promise<readonly GoldenRow[]> {
  const disk = new MemoryDisk(original.image());
  const upgrade = await attemptRow("is upgraded with data of a voxel in it", async () => {
    const before = await openWorldEngine(disk);
    const chunk = (await before.chunk(chunkOfVoxel(before.shape, UNTOUCHED))).editData([
      { index: 0, data: DATA },
    ]);
    await before.setChunks([[chunkOfVoxel(before.shape, UNTOUCHED), chunk]]);
    await before.close();
    ok(isWhole(await verifySave(disk)), "with data");
    const { versionBefore, versionAfter } = await upgradeWorldEngine(disk);
    ok(versionBefore < versionAfter, `version ${versionBefore} to ${versionAfter}`);
    ok(isWhole(await verifySave(disk)), "upgraded");
    const after = await openWorldEngine(disk, { readOnly: true });
    deepEqual((await after.chunk(chunkOfVoxel(after.shape, UNTOUCHED))).dataAt(0), DATA);
    await after.close();
  });
  return [upgrade, ...(await contentRows("after an upgrade", disk, expected, { readOnly: true }))];
}

/** Every kept generation can be opened. */
async function keptRows(original: MemoryDisk): Promise<readonly GoldenRow[]> {
  const newest = await openWorldEngine(original, { readOnly: true });
  const kept = await newest.history.generations();
  await newest.close();
  return Promise.all(
    kept.map(({ generation }) =>
      attemptRow(`generation ${generation} opens`, async () => {
        const past = await openWorldEngine(original, { at: generation });
        equal(past.generation, generation);
        await past.close();
      }),
    ),
  );
}

async function contentRows(
  when: string,
  disk: MemoryDisk,
  expected: ExpectedWorld,
  options: EngineOptions,
): Promise<readonly GoldenRow[]> {
  const world = await openWorldEngine(disk, options);
  const rows = [
    await attemptRow(`${when}: edited voxels`, () => requireVoxels(world, expected.voxels)),
    await attemptRow(`${when}: generated voxels`, () => requireVoxels(world, expected.virgin)),
    await attemptRow(`${when}: entities`, async () => {
      const found = await world.entitiesIn(WHOLE_LATTICE);
      const byId = found.map(({ entityId, position }) => ({ id: `${entityId}`, position }));
      deepEqual(sortById(byId), sortById(expected.entities));
    }),
    await attemptRow(`${when}: players`, async () => {
      const found = world.players.map(({ playerId, name }) => ({ id: `${playerId}`, name: name ?? "" }));
      deepEqual(sortById(found), sortById(expected.players));
    }),
  ];
  await world.close();
  return rows;
}

async function requireVoxels(world: WorldEngine, voxels: readonly Voxel[]): Promise<void> {
  for (const [x, y, z, w, block] of voxels) {
    equal(await world.get([x, y, z, w]), block, `at [${[x, y, z, w]}]`);
  }
}

function sortById<Thing extends { readonly id: string }>(things: readonly Thing[]): readonly Thing[] {
  return [...things].sort((a, b) => Number(a.id) - Number(b.id));
}

async function attemptRow(name: string, attempt: () => Promise<void>): Promise<GoldenRow> {
  try {
    await attempt();
    return { name, failure: undefined };
  } catch (error) {
    return { name, failure: error instanceof Error ? error.message : String(error) };
  }
}
