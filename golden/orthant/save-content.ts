import { deepEqual, equal } from "node:assert/strict";
import { WHOLE_LATTICE } from "@orthant/core/lattice";
import type { Disk } from "@orthant/disk";
import { type EngineOptions, openWorldEngine, type WorldEngine } from "@orthant/world/engine";
import { attemptRow, type GoldenRow } from "../suite.ts";

type Voxel = readonly [x: number, y: number, z: number, w: number, block: number];

/** What `expected.json` says about a save. */
export interface ExpectedWorld {
  readonly generation: number;
  readonly voxels: readonly Voxel[];
  readonly virgin: readonly Voxel[];
  readonly entities: readonly { readonly id: string; readonly position: readonly number[] }[];
  readonly players: readonly { readonly id: string; readonly name: string }[];
}

/** Compares the content of a world with what is expected, in a row for each kind. */
export async function contentRows(
  when: string,
  disk: Disk,
  expected: ExpectedWorld,
  options: EngineOptions,
): Promise<readonly GoldenRow[]> {
  const world = await openWorldEngine(disk, options);
  const rows = [
    await attemptRow(`${when}: edited voxels`, () => requireVoxels(world, expected.voxels)),
    await attemptRow(`${when}: generated voxels`, () => requireVoxels(world, expected.virgin)),
    await attemptRow(`${when}: entities`, async () => {
      const found = await world.entities.in(WHOLE_LATTICE);
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

/** Opens every kept generation. */
export async function keptRows(disk: Disk): Promise<readonly GoldenRow[]> {
  const newest = await openWorldEngine(disk, { readOnly: true });
  const kept = await newest.history.generations();
  await newest.close();
  return Promise.all(
    kept.map(({ generation }) =>
      attemptRow(`generation ${generation} opens`, async () => {
        const past = await openWorldEngine(disk, { at: generation });
        equal(past.generation, generation);
        await past.close();
      }),
    ),
  );
}
