import { type Box, HYPERCUBE_CHUNKS } from "@orthant/core";
import { AXES, boxAt, unionBox, voxelsOfChunks } from "@orthant/core/lattice";
import { type Disk, MemoryDisk } from "@orthant/disk";
import { surveySave, verifySave } from "@orthant/save";
import { closing } from "../format/closing.ts";
import { fileBytes, firstOf, hasMagic } from "../format/files.ts";
import type { Format, WorldInfo } from "../format/format.ts";
import { describeGenerator, generatorInfo } from "../format/generator.ts";
import { describeSaveRepair } from "../format/save-repair.ts";
import { formatAmount, formatBox, formatBytes, formatTime } from "../format/text.ts";
import { convertFlatSave } from "./convert-from-flat.ts";
import { convertToFlat } from "./convert-to-flat.ts";
import { evidenceOfSave, isFlatSave } from "./detect.ts";
import { importLegacyWorld, openLegacyWorld } from "./legacy-world.ts";
import { type FlatSave, openFlatSave } from "./reader.ts";
import { applyFlatRepair, planFlatRepair } from "./repair.ts";
import { verifyFlatSave } from "./verify.ts";

/** Saves as the game Polychora wrote them. */
export const flatSaveFormat: Format = {
  name: "polychora-flat",
  title: "flat Polychora save",
  hasGenerations: true,
  targets: ["orthant"],

  async detect(disk, file) {
    const evidence = file === undefined ? await evidenceOfSave(disk) : undefined;
    if (evidence === undefined || !(await isFlatSave(disk))) return undefined;
    return { format: "polychora-flat", dialect: undefined, evidence };
  },

  info: ({ disk, count = false }) => closing(openFlatSave(disk), (save) => infoOf(disk, save, count)),

  verify: ({ disk }) => verifyFlatSave(disk),

  async planRepair({ disk }) {
    const plan = await planFlatRepair(disk);
    return {
      ...describeSaveRepair(plan, { changes: 0, losses: [] }),
      async apply(target) {
        await applyFlatRepair(disk, plan, target);
        await (await openFlatSave(target)).close();
      },
    };
  },

  /** Leaves out what a native world cannot hold. */
  open: ({ disk }) =>
    closing(openFlatSave(disk), async (save): Promise<Disk> => {
      const converted = new MemoryDisk();
      await convertFlatSave(save, converted);
      return converted;
    }),

  async convert({ disk, generation }) {
    const save = await openFlatSave(disk, generation === undefined ? {} : { generation });
    return {
      from: "flat",
      to: "orthant",
      unit: "leaves",
      steps: save.leaves.length,
      generation: save.generation,
      run: (made, onLeaf) => convertFlatSave(save, made, { onLeaf }),
      verify: (made) => verifySave(made),
      close: () => save.close(),
    };
  },

  exporters: {
    flat: (save, { standInBlock }) => ({
      from: "orthant",
      to: "flat",
      unit: "leaves",
      steps: save.index.totals.leaves,
      run: (made, onLeaf) => convertToFlat(save, made, { standInBlock, onLeaf }),
      verify: (made) => verifyFlatSave(made),
      close: () => save.close(),
    }),
  },
};

async function infoOf(disk: Disk, save: FlatSave, count: boolean): Promise<WorldInfo> {
  const { files, generations } = await surveySave(disk);
  let totalBytes = 0;
  for (const file of files) totalBytes += await fileBytes(disk, file);
  const { generation, manifest, global, leaves, players } = save;
  const { createdMs, lastModifiedMs } = manifest;
  const shape = global.description.chunkShape;
  const boxes = [
    ...leaves.map(({ cube }) => cube),
    ...save.globalChunks.map(({ position }) => boxAt(position)),
  ];
  const chunkBounds = boxes.reduce<Box | undefined>(unionBox, undefined);
  const bounds = chunkBounds && { chunks: chunkBounds, voxels: voxelsOfChunks(shape, chunkBounds) };
  const counts = count ? await countContent(save) : undefined;
  const older = generations.filter((other) => other < generation);
  const generator = generatorInfo(global);
  return {
    facts: {
      generation,
      generations: older,
      createdMs,
      lastModifiedMs,
      chunkShape: shape.extents,
      generator,
      leaves: leaves.length,
      players: players.length,
      bounds: bounds ?? null,
      totalBytes,
      files: files.length,
      counts: counts ?? null,
    },
    rows: [
      ["generation", `${generation}${older.length === 0 ? "" : `, older ones: ${older.join(", ")}`}`],
      ["created", formatTime(createdMs)],
      ["modified", formatTime(lastModifiedMs)],
      ["chunks of", `${shape.extents.join(" x ")} voxels (${AXES.length}D)`],
      ["generator", describeGenerator(generator)],
      ["leaves", String(leaves.length)],
      ["players", String(players.length)],
      ["bounds", bounds && `voxels ${formatBox(bounds.voxels)}`],
      ["on disk", `${formatBytes(totalBytes)} in ${formatAmount(files.length, "file")}`],
      ["chunks", counts && `${formatAmount(counts.chunks, "chunk")}, ${counts.emptyChunks} of them empty`],
      ["entities", counts && String(counts.entities)],
    ],
  };
}

async function countContent(
  save: FlatSave,
): Promise<{ readonly chunks: number; readonly emptyChunks: number; readonly entities: number }> {
  const stored = [...save.globalChunks];
  let entities = 0;
  for (const leaf of save.leaves) {
    stored.push(...(await save.readChunks(leaf)));
    entities += (await save.readEntities(leaf)).length;
  }
  return { chunks: stored.length, emptyChunks: stored.filter(({ chunk }) => chunk.isEmpty).length, entities };
}

/** `.v4dw` worlds, from before saves were folders: a world is one file. */
export const legacyWorldFormat: Format = {
  name: "v4dw",
  title: "v4dw world",
  isOneFile: true,
  targets: ["orthant"],

  /** Accepts a file with the right magic: the given one, or the first in the root. */
  async detect(disk, file) {
    const entries = file === undefined ? await disk.list("") : [];
    const names = entries.filter(({ kind }) => kind === "file").map(({ name }) => name);
    const evidence = await firstOf(file === undefined ? names : [file], async (name) =>
      (await hasMagic(disk, name, "V4DW")) ? name : undefined,
    );
    return evidence === undefined ? undefined : { format: "v4dw", dialect: undefined, evidence };
  },

  async info({ disk, world: { evidence } }) {
    const { base, chunks } = await openLegacyWorld(disk, evidence);
    const totalBytes = await fileBytes(disk, evidence);
    const emptyChunks = chunks.filter(({ chunk }) => chunk.isEmpty).length;
    const boxes = chunks.map(({ position }) => boxAt(position));
    const bounds = boxes.reduce<Box | undefined>(unionBox, undefined);
    const { extents } = HYPERCUBE_CHUNKS;
    return {
      facts: {
        base,
        chunkShape: extents,
        chunks: chunks.length,
        emptyChunks,
        chunkBounds: bounds ?? null,
        totalBytes,
      },
      rows: [
        ["base", base.kind === "flatFloor" ? `a floor of block ${base.block}` : "empty"],
        ["chunks of", `${extents.join(" x ")} voxels (4D)`],
        ["chunks", `${formatAmount(chunks.length, "chunk")}, ${emptyChunks} of them empty`],
        ["bounds", bounds && `chunks ${formatBox(bounds)}`],
        ["on disk", formatBytes(totalBytes)],
      ],
    };
  },

  async convert({ disk, world, environment }) {
    const legacy = await openLegacyWorld(disk, world.evidence);
    return {
      from: "v4dw",
      to: "orthant",
      unit: "chunks",
      run: (made) => importLegacyWorld(legacy, made, environment.time.nowMs()),
      verify: (made) => verifySave(made),
      close: async () => undefined,
    };
  },
};
