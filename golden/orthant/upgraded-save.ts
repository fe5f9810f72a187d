import { deepEqual, equal, notEqual, ok } from "node:assert/strict";
import { execFile } from "node:child_process";
import { cp, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { promisify } from "node:util";
import { NodeDisk } from "@orthant/disk/node";
import { openWorld, type Position, type World } from "orthant";
import { attemptRow, type GoldenRow } from "../suite.ts";
import { contentRows, type ExpectedWorld, keptRows } from "./save-content.ts";

const PROGRAM = resolve("packages/orthant/bin/orthant.js");
/** Where the chest goes: no save has edits there. */
const CHEST: Position<4> = [5_000_000, 0, 0, 0];
const ITEMS = { items: ["a sword", "three apples"] };
const NOTE = { text: "here since 0.1" };

/**
 * Gives a copy of a save a new block type and data, with the world's public methods, and runs `orthant upgrade` and
 * `orthant verify` on it as a user does. The content must stay as it was, and so must the kept generations.
 */
export async function upgradeRows(
  save: string,
  expected: ExpectedWorld,
  durability: "snapshot" | "journal",
): Promise<readonly GoldenRow[]> {
  const parent = await mkdtemp(join(tmpdir(), "orthant-golden-"));
  const folder = join(parent, "save");
  const when = `upgraded after a ${durability} commit`;
  try {
    await cp(save, folder, { recursive: true });
    return [
      await attemptRow(`${when}: takes a new block type and data`, () =>
        addChest(folder, expected, durability),
      ),
      await attemptRow(`${when}: verify finds it whole before`, () => verify(folder)),
      await attemptRow(`${when}: the command upgrades it`, async () => {
        const { upgraded, versionBefore, versionAfter } = await orthant("upgrade", folder);
        equal(upgraded, true);
        notEqual(versionBefore, versionAfter);
      }),
      await attemptRow(`${when}: verify finds it whole`, () => verify(folder)),
      await attemptRow(`${when}: block type and data`, () => requireChest(folder, expected)),
      ...(await contentRows(when, new NodeDisk(folder), expected, { readOnly: true })),
      ...(await keptRows(new NodeDisk(folder))),
    ];
  } finally {
    await rm(parent, { recursive: true });
  }
}

async function addChest(
  folder: string,
  expected: ExpectedWorld,
  durability: "snapshot" | "journal",
): Promise<void> {
  const world = await openWorld(folder, { durability });
  const { chest } = await world.defineBlocks({
    chest: { colour: 0x8b5a2b, properties: { facing: ["north", "east"] } },
  });
  const placed = await world.set(inWorld(world, CHEST), chest.id({ facing: "east" }), { data: ITEMS });
  equal(placed.status, "applied");
  const noted = await world.setData(inWorld(world, editedVoxel(expected)), NOTE);
  equal(noted.status, "applied");
  await world.close();
}

async function requireChest(folder: string, expected: ExpectedWorld): Promise<void> {
  const world = await openWorld(folder, { readOnly: true });
  const chest = inWorld(world, CHEST);
  deepEqual(world.blocks.describe(await world.get(chest)), {
    type: "chest",
    properties: { facing: "east" },
  });
  deepEqual(await world.data(chest), ITEMS);
  deepEqual(await world.data(inWorld(world, editedVoxel(expected))), NOTE);
  await world.close();
}

/** Returns a voxel that the save has, and that is not air. */
function editedVoxel({ voxels }: ExpectedWorld): Position<4> {
  const found = voxels.find(([, , , , block]) => block !== 0);
  ok(found !== undefined, "a save in which every edit is air");
  const [x, y, z, w] = found;
  return [x, y, z, w];
}

/** Returns a position with the coordinates that a world has. */
function inWorld(world: World, position: Position<4>): Position {
  return position.slice(0, world.dimensions) as unknown as Position;
}

async function verify(folder: string): Promise<void> {
  const { findings } = await orthant("verify", folder);
  deepEqual(findings, []);
}

/** Runs a command in a process of its own, which must succeed. Returns the object that it prints. */
async function orthant(command: string, folder: string): Promise<Readonly<Record<string, unknown>>> {
  const { stdout } = await promisify(execFile)(process.execPath, [PROGRAM, command, folder, "--json"]);
  return JSON.parse(stdout) as Readonly<Record<string, unknown>>;
}
