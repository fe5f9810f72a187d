import { MemoryDisk } from "@orthant/disk";
import {
  convertMarsMiner,
  convertPixelToPixel,
  convertPixelToTree,
  convertToMarsMinerSave,
  convertToV3,
  convertTreeToPixel,
  createMarsMiner,
  detectFormat,
  detectNativeSave,
  EMPTY_TILE_SAVE,
  exportTileSave,
  fileBytes,
  type MarsMinerSave,
  openFlatSave,
  openMarsMiner,
  openTileSave,
  ticksOfMs,
  verifyMarsMiner,
  writeTileSave,
} from "@orthant/formats";
import { createPixelWorld, openPixelSave, type PixelSave } from "@orthant/pixel-world";
import { openSave, type Save } from "@orthant/save";
import { createWorld } from "@orthant/world";
import { functionTargets, methodTargets, type Stage, type Target } from "./stage.ts";

const PIXEL_FILE = "world.pxsw";

/** Calls what opens, verifies and converts the saves of other games. */
export const formatsStage: Stage = {
  name: "formats",
  async open() {
    const disks = { native: new MemoryDisk(), mars: new MemoryDisk(), tiles: new MemoryDisk() };
    await (await createWorld(disks.native, { dimensions: 3 }, { autosave: false })).close();
    const writer = await createMarsMiner(disks.mars);
    await writer.commit({ ticks: ticksOfMs(0), name: "mars" });
    await writer.close();
    await writeTileSave(disks.tiles, EMPTY_TILE_SAVE);
    const save = await openSave(disks.native);
    const mars = await openMarsMiner(disks.mars, { cubeSize: 16 });
    const pixelDisk = new MemoryDisk();
    const pixels = await createPixelWorld(pixelDisk, PIXEL_FILE, { chunkEdge: 16 }, { autosave: false });
    await pixels.close();
    const pixelSave = await openPixelSave(pixelDisk, PIXEL_FILE);
    return {
      targets: [
        ...openingTargets(disks),
        ...marsMinerTargets(disks.mars, mars, save),
        ...conversionTargets(save, pixelSave),
      ],
      finish: async () => {
        await Promise.all([save.close(), mars.close(), pixelSave.close()]);
        return [];
      },
    };
  },
};

interface Disks {
  readonly native: MemoryDisk;
  readonly mars: MemoryDisk;
  readonly tiles: MemoryDisk;
}

function openingTargets({ native, mars, tiles }: Disks): readonly Target[] {
  return [
    ...functionTargets({
      detectFormat: [detectFormat, (prng) => [prng.pick([native, mars, tiles])]],
      detectNativeSave: [detectNativeSave, () => [native, "manifest.json"]],
      fileBytes: [fileBytes, () => [tiles, "world.sav"]],
      openTileSave: [openTileSave, () => [tiles]],
      openFlatSave: [openFlatSave, () => [native, { generation: 0 }]],
      verifyMarsMiner: [verifyMarsMiner, () => [mars, { cubeSize: 16, dialect: "draft" }]],
      ticksOfMs: [ticksOfMs, (prng) => [prng.below(1_000_000)]],
    }),
    ...functionTargets(
      {
        openMarsMiner: [openMarsMiner, () => [mars, { cubeSize: 16, dialect: "draft" }]],
        createMarsMiner: [createMarsMiner, () => [new MemoryDisk(), { blobFullBytes: 4_096 }]],
      },
      { dispose: (opened) => (opened as { close(): Promise<void> }).close() },
    ),
  ];
}

function marsMinerTargets(disk: MemoryDisk, mars: MarsMinerSave, save: Save): readonly Target[] {
  const options = { acceptLosses: true, locations: "blocks", onStep: () => undefined };
  return [
    ...functionTargets({
      convertMarsMiner: [convertMarsMiner, () => [mars, new MemoryDisk(), { ...options }]],
      convertToMarsMinerSave: [
        convertToMarsMinerSave,
        () => [save, new MemoryDisk(), { ...options, cubeSize: 16 }],
      ],
    }),
    ...methodTargets("MarsMinerSave", mars, {
      sizes: () => [],
      findStates: () => [],
    }),
    ...methodTargets("MemoryDisk", disk, { image: () => [] }),
  ];
}

function conversionTargets(save: Save, pixels: PixelSave): readonly Target[] {
  const options = { acceptLosses: true, standInBlock: 1, onChunk: () => undefined };
  return functionTargets({
    convertToV3: [convertToV3, () => [save, new MemoryDisk(), { standInBlock: 1, onLeaf: () => undefined }]],
    exportTileSave: [exportTileSave, () => [save, new MemoryDisk(), { onLeaf: () => undefined }]],
    convertTreeToPixel: [
      convertTreeToPixel,
      () => [save, "version2", { disk: new MemoryDisk(), path: PIXEL_FILE }, { ...options }],
    ],
    convertPixelToPixel: [
      convertPixelToPixel,
      () => [pixels, "version2", { disk: new MemoryDisk(), path: PIXEL_FILE }, { ...options }],
    ],
    convertPixelToTree: [convertPixelToTree, () => [pixels, new MemoryDisk(), { ...options }]],
  });
}
