import type { Disk } from "@orthant/disk";
import type { DetectedPixelWorld } from "@orthant/formats";
import { openPixelSave, type PixelSave } from "@orthant/pixel-world";
import type { Context } from "../context.ts";
import { describeFormat } from "../found-world.ts";
import { factLines, formatAmount, formatBytes, formatTime } from "../report.ts";
import { EXIT, type ExitCode } from "../usage.ts";

/** `orthant info` of a pixel world. */
export async function showPixelWorld(
  disk: Disk,
  format: DetectedPixelWorld,
  world: string,
  context: Context,
): Promise<ExitCode> {
  const save = await openPixelSave(disk, format.evidence);
  try {
    const facts = factsOf(save);
    context.printJson({ world, ...format, ...facts });
    context.printAll(factLines([["format", describeFormat(format)], ...rowsOf(save, facts)]));
    return EXIT.ok;
  } finally {
    await save.close();
  }
}

function factsOf(save: PixelSave) {
  const { facts, modifiedMs, generation, chunkCount, bodyCount, fileBytes, deadBytes } = save;
  const storages = { empty: 0, delta: 0, full: 0 };
  for (const { storage } of save.chunks()) storages[storage]++;
  return {
    worldSeed: facts.worldSeed,
    createdMs: facts.createdMs,
    lastModifiedMs: modifiedMs,
    generation,
    chunkEdge: facts.chunkEdge,
    layers: facts.layers,
    generatorId: facts.generator?.generatorId ?? null,
    chunks: chunkCount,
    storages,
    bodies: bodyCount,
    totalBytes: fileBytes,
    deadBytes,
  };
}

function rowsOf(
  { dialect }: PixelSave,
  facts: ReturnType<typeof factsOf>,
): readonly (readonly [name: string, value: string | undefined])[] {
  const { storages, layers } = facts;
  return [
    ["seed", String(facts.worldSeed)],
    ["generation", dialect === "version2" ? String(facts.generation) : undefined],
    ["created", formatTime(facts.createdMs)],
    ["modified", formatTime(facts.lastModifiedMs)],
    ["chunks of", `${facts.chunkEdge} x ${facts.chunkEdge} pixels`],
    ["layers", layers.map(({ name, kept }) => (kept === 255 ? name : `${name} (bits ${kept})`)).join(", ")],
    ["generator", facts.generatorId ?? "not said"],
    [
      "chunks",
      `${formatAmount(facts.chunks, "chunk")}: ${storages.full} full, ${storages.delta} as changes, ${storages.empty} empty`,
    ],
    ["bodies", String(facts.bodies)],
    ["on disk", formatBytes(facts.totalBytes)],
    ["dead", formatBytes(facts.deadBytes)],
  ];
}
