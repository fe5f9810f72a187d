import { spawn } from "node:child_process";
import { once } from "node:events";
import { writeFile } from "node:fs/promises";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { NodeDisk } from "@orthant/disk/node";
import { openWorldEngine } from "@orthant/world/engine";
import { ALL_GENERATORS, Model, type Placement, type Recipe } from "./recipe.ts";

const MAKER = fileURLToPath(new URL("./world-maker.js", import.meta.url));

const GARBAGE_SAVES = 6;
const GARBAGE_EDGE = 32;

/** A world on a real disk, and the model of what it must hold. */
export interface MadeWorld {
  readonly folder: string;
  readonly model: Model;
}

/** Creates a world in a separate process, which it kills with `kill -9` if the recipe says so. */
export async function makeWorld(recipe: Recipe, folder: string): Promise<MadeWorld> {
  const model = new Model(recipe);
  await writeFile(`${folder}.json`, JSON.stringify(recipe));
  const child = spawn(process.execPath, [MAKER, `${folder}.json`, folder], {
    stdio: ["ignore", "pipe", "pipe"],
  });
  const closed = once(child, "close");
  let complaints = "";
  child.stderr.on("data", (text: Buffer) => (complaints += text.toString()));
  const steps = [...recipe.steps];
  let isDone = false;
  for await (const line of createInterface(child.stdout)) {
    isDone = line === "done";
    if (isDone) break;
    const step = steps.shift();
    if (step !== undefined) model.note(step, Number(line));
  }
  if (recipe.state === "killed") child.kill("SIGKILL");
  await closed;
  if (!isDone || complaints !== "") throw new Error(`the maker of ${recipe.name} failed: ${complaints}`);
  return { folder, model };
}

/** Describes the first voxel in which a world differs from `edits`; `undefined` when none does. */
export async function voxelFault(folder: string, edits: Iterable<Placement>): Promise<string | undefined> {
  const world = await openWorldEngine(new NodeDisk(folder), { readOnly: true, generators: ALL_GENERATORS });
  try {
    for (const [voxel, block] of edits) {
      const found = await world.get(voxel);
      if (found !== block) return `voxel [${voxel}] is ${found}, not ${block}`;
    }
    return undefined;
  } finally {
    await world.close();
  }
}

/** Overwrites one box in many saves and keeps only the last, so that compaction has work to do. */
export async function makeGarbage(folder: string): Promise<void> {
  const retention = { newest: 1, hours: 0, days: 0 };
  const world = await openWorldEngine(new NodeDisk(folder), {
    autosave: false,
    retention,
    generators: ALL_GENERATORS,
  });
  for (let round = 1; round <= GARBAGE_SAVES; round++) {
    await world.fill({ min: [0, 100, 0, 0], max: [GARBAGE_EDGE, 100 + GARBAGE_EDGE, 1, 1] }, round);
    await world.save();
  }
  await world.close();
}
