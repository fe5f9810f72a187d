import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { box } from "@orthant/core";
import { NodeDisk } from "@orthant/disk/node";
import { isWhole, verifySave } from "@orthant/save";
import { createWorld, openWorld } from "@orthant/world";
import { afterAll, beforeAll, expect, test } from "vitest";

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "orthant-paste-"));
});
afterAll(() => rm(folder, { recursive: true }));

/** Pastes a world into another, and kills itself after its third edit. */
const PASTE_AND_DIE = `
import { NodeDisk } from "@orthant/disk/node";
import { pasteWorld } from "@orthant/formats/imports";
import { openSave } from "@orthant/save";
import { openWorld } from "@orthant/world";
const [, from, to] = process.argv;
const world = await openWorld(new NodeDisk(to), { durability: "journal", autosave: false });
let edits = 0;
await pasteWorld(world, await openSave(new NodeDisk(from)), {
  at: [5, 5, 5],
  onEdit: () => ++edits === 3 && process.kill(process.pid, "SIGKILL"),
});
`;

test("[IM91] a process that is killed while it pastes leaves a whole world, with the edits that it made", async () => {
  const [from, to] = [join(folder, "from"), join(folder, "to")];
  const source = await createWorld(await NodeDisk.create(from), { dimensions: 3 });
  await source.fill(box([0, 0, 0], [64, 32, 64]), 11);
  await source.close();
  await (await createWorld(await NodeDisk.create(to), { dimensions: 3 })).close();

  const child = spawn(process.execPath, ["--input-type=module", "-e", PASTE_AND_DIE, from, to], {
    stdio: "inherit",
  });
  const [, signal] = await once(child, "close");
  expect(signal).toBe("SIGKILL");

  expect(isWhole(await verifySave(new NodeDisk(to)))).toBe(true);
  const world = await openWorld(new NodeDisk(to), { dimensions: 3 });
  let voxels = 0;
  for (let x = 0; x < 5; x++)
    for (let y = 0; y < 3; y++)
      for (let z = 0; z < 5; z++)
        for (const block of (await world.chunk([x, y, z])).voxels()) if (block === 11) voxels++;
  expect(voxels).toBe(3 * 16_384);
  await world.close();
});
