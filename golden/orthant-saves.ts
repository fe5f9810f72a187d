import { equal, ok } from "node:assert/strict";
import type { Position } from "@orthant/core";
import { MemoryDisk } from "@orthant/disk";
import { isWhole } from "@orthant/disk/files";
import { verifySave } from "@orthant/save";
import { goldenPath } from "@orthant/testkit/golden";
import { openWorldEngine } from "@orthant/world/engine";
import { contentRows, type ExpectedWorld, keptRows } from "./orthant/save-content.ts";
import { upgradeRows } from "./orthant/upgraded-save.ts";
import { copyFolderToMemory } from "./polychora/folder-disk.ts";
import { attemptRow, type GoldenRow, type GoldenSuite, parseJson } from "./suite.ts";

const FOLDER = "orthant-0.1";
const SAVES = ["tiles-2d", "land-3d", "isles-4d", "journal-3d"] as const;
/** A position without edits in any save. */
const UNTOUCHED: Position = [5_000_000, 0, 0, 0];
const MARK = 3;

/** Worlds that Orthant 0.1 wrote: each opens unchanged, with exactly its content, accepts commits and can be upgraded. */
export const orthantSaveSuites: readonly GoldenSuite[] = SAVES.map((name) => ({
  file: `${FOLDER}/${name}/expected.json`,
  async check(bytes) {
    const expected = parseJson<ExpectedWorld>(bytes);
    const save = goldenPath(FOLDER, name, "save");
    const original = await copyFolderToMemory(save);
    return [
      await attemptRow("verify finds it whole", async () => ok(isWhole(await verifySave(original)))),
      ...(await contentRows("read only", original, expected, { readOnly: true })),
      ...(await commitRows("snapshot", original, expected)),
      ...(await commitRows("journal", original, expected)),
      ...(await keptRows(original)),
      ...(await upgradeRows(save, expected, "snapshot")),
      ...(await upgradeRows(save, expected, "journal")),
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
