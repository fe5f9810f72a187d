import { writeSync } from "node:fs";
import { NodeDisk } from "@orthant/disk/node";
import { openPoured, type PouredDurability, SETTLED_STEPS, simulatePoured } from "./poured-water.ts";
import { StepContent } from "./step-content.ts";

// A program that simulates the world in a folder until it has settled or is killed: step-writer FOLDER DURABILITY.
// It prints "found STEP DIGEST", the content that it found, "seen NUMBER" in each step, and "durable STEP" when what a step
// changed is durable.
const STANDARD_OUTPUT = 1;
/** A world without a journal is saved this often, one with a journal now and then. */
const SAVE_EVERY_STEPS = { snapshot: 3, journal: 31 } as const;

const [folder = "", durability = "journal"] = process.argv.slice(2) as [string?, PouredDurability?];
const disk = await NodeDisk.create(folder);
const isNew = (await disk.list("")).every(({ name }) => name !== "manifest.json");
const world = await openPoured(disk, { durability, isNew });

let isFirst = true;
const simulation = await simulatePoured(world, (step) => {
  if (isFirst) print(`found ${count()} ${new StepContent(world, step).digest}`);
  isFirst = false;
  print(`seen ${step.number}`);
});
while (count() < SETTLED_STEPS) {
  await simulation.advance();
  const step = count();
  const saving = step % SAVE_EVERY_STEPS[durability] === 0 ? world.save() : undefined;
  // A step that is made during a save belongs to the next one.
  if (saving !== undefined && step < SETTLED_STEPS) await simulation.advance();
  if (durability === "journal") {
    await world.whenDurable();
    print(`durable ${count()}`);
  } else if (saving !== undefined) {
    await saving;
    print(`durable ${step}`);
  }
}
await world.close();

/** The count of steps so far. */
function count(): number {
  return world.engine.steps.last;
}

function print(line: string): void {
  writeSync(STANDARD_OUTPUT, `${line}\n`);
}
