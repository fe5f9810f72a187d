import { writeSync } from "node:fs";
import { NodeDisk } from "@orthant/disk/node";
import { createWorldEngine, openWorldEngine } from "@orthant/world/engine";
import { lastStep, stepOf } from "./written-world.ts";

// A program that edits the world in a folder, with a journal, until it is killed. After each acknowledged
// edit it prints one line with the number of the step that is now durable.
const STANDARD_OUTPUT = 1;
const EDITS_AT_ONCE = 8;
const SAVE_EVERY_STEPS = 150;

const disk = await NodeDisk.create(process.argv[2] ?? "");
const isNew = (await disk.list("")).every(({ name }) => name !== "manifest.json");
const options = { autosave: false, durability: "journal" } as const;
const world = isNew ? await createWorldEngine(disk, {}, options) : await openWorldEngine(disk, options);

let step = await lastStep(world);
const working = Array.from({ length: EDITS_AT_ONCE }, async () => {
  for (;;) {
    const mine = ++step;
    // During a save, edits go to the next segment.
    if (mine % SAVE_EVERY_STEPS === 0) void world.save();
    await world.edit(stepOf(mine));
    writeSync(STANDARD_OUTPUT, `${mine}\n`);
  }
});
await Promise.all(working);
