import { readFile } from "node:fs/promises";
import { DEFAULT_BLOCKS } from "@orthant/core";
import { encode } from "@orthant/core/bytes";
import { blockCatalogCodec } from "@orthant/core/chunk";
import { NodeDisk } from "@orthant/disk/node";
import { createSave, DEFAULT_LIMITS, plainDescription } from "@orthant/save";
import { openWorldEngine, type WorldEngine } from "@orthant/world/engine";
import { ALL_GENERATORS, generatorOf, type Recipe, type Step, shapeOf } from "./recipe.ts";

// A program that creates the world of a recipe in a folder. It prints the generation after each durable step.
// A process that is to be killed keeps its world open until then.
const [recipeFile = "", folder = ""] = process.argv.slice(2);
const recipe = JSON.parse(await readFile(recipeFile, "utf8")) as Recipe;
const isKilled = recipe.state === "killed";
const PAGED_LIMITS = { ...DEFAULT_LIMITS, indexSoftMaxBytes: 500, chunkBlobTargetBytes: 600 };
const KEEP_LITTLE = { newest: 1, hours: 0, days: 0 };
const KEEP_ALL = { newest: 1_000, hours: 0, days: 0 };

const disk = await NodeDisk.create(folder);
await createEmpty();
const world = await openWorldEngine(disk, {
  autosave: false,
  generators: ALL_GENERATORS,
  durability: isKilled ? "journal" : "snapshot",
  retention: recipe.state === "compacted" ? KEEP_LITTLE : KEEP_ALL,
});
for (const step of recipe.steps) {
  await make(world, step);
  console.log(world.generation);
}
if (!isKilled) await world.close();
// A timer keeps the process alive until the parent kills it.
else setInterval(() => undefined, 60_000);
console.log("done");

async function createEmpty(): Promise<void> {
  const { generatorId, parameters, seed, versionHash } = generatorOf(recipe);
  const shape = shapeOf(recipe);
  const writer = await createSave(disk, {
    nowMs: Date.now(),
    limits: recipe.state === "paged" ? PAGED_LIMITS : DEFAULT_LIMITS,
    generators: ALL_GENERATORS,
    global: {
      base: { kind: "generated" },
      worldSeed: seed,
      generators: [{ generatorId, params: parameters, seed, versionHash }],
      nextEntityId: 1n,
      playerEntityHints: [],
      description: {
        ...plainDescription(shape),
        name: recipe.name,
        blocks: encode(blockCatalogCodec, DEFAULT_BLOCKS),
        worldId: BigInt(recipe.seed + 1),
      },
    },
  });
  await writer.close();
}

async function make(opened: WorldEngine, step: Step): Promise<void> {
  switch (step.kind) {
    case "edit":
      await opened.edit(step.edits.map(([voxel, block]) => ({ voxel, block })));
      return;
    case "player":
      opened.upsertPlayer({ playerId: BigInt(step.playerId), name: step.name });
      if (isKilled) await opened.whenDurable();
      return;
    case "save":
      await opened.save();
      return;
    case "tag":
      await opened.history.tag(step.name);
      return;
    case "compact":
      await opened.compact();
  }
}
