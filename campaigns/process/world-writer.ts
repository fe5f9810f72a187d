import { writeSync } from "node:fs";
import { NodeDisk } from "@orthant/disk/node";
import { createWorldEngine, openWorldEngine } from "@orthant/world/engine";
import { lastStep, stepOf } from "./written-world.ts";

// A program that edits and saves the world in a folder until it is killed. After each save it prints one line
// with the number of the step that is now durable.
const STANDARD_OUTPUT = 1;
const SAVE_EVERY_STEPS = 3;

const disk = await NodeDisk.create(process.argv[2] ?? "");
const isNew = (await disk.list("")).every(({ name }) => name !== "manifest.json");
const world = isNew
  ? await createWorldEngine(disk, {}, { autosave: false })
  : await openWorldEngine(disk, { autosave: false });

for (let step = (await lastStep(world)) + 1; ; step++) {
  await world.edit(stepOf(step));
  if (step % SAVE_EVERY_STEPS !== 0) continue;
  const saving = world.save();
  // This edit runs during the save, so it belongs to the next generation.
  await world.edit(stepOf(++step));
  await saving;
  writeSync(STANDARD_OUTPUT, `${step - 1}\n`);
}
