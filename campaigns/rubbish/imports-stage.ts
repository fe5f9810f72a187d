import { box } from "@orthant/core";
import { MemoryDisk } from "@orthant/disk";
import { exportBox, exportClipboard } from "@orthant/formats/exports";
import { importClipboard } from "@orthant/formats/imports";
import {
  ColumnSection,
  flattenBlock,
  openLuanti,
  openRegion,
  openSchematic,
  openTiled,
  openVox,
  readMinecraftLevel,
  readNbt,
  readNbtCompound,
} from "@orthant/formats/readers";
import { createWorld } from "@orthant/world";
import { functionTargets, methodTargets, type Stage } from "./stage.ts";

const REGION = "r.0.0.mca";
/** A compound with one byte named `a`, without a head. Calls get copies, which may change afterwards. */
const COMPOUND: readonly number[] = [1, 0, 1, 0x61, 7, 0];

/** Calls the readers and writers of other programs' files, and what they return. */
export const importsStage: Stage = {
  name: "imports",
  async open() {
    const disk = new MemoryDisk({ directories: [], files: new Map([[REGION, new Uint8Array(8_192)]]) });
    const region = await openRegion(disk, REGION);
    const world = await createWorld(new MemoryDisk(), { dimensions: 3 }, { autosave: false });
    await world.set([0, 0, 0], world.blocks.id("stone"));
    const clipboard = await world.clipboard(box([0, 0, 0], [2, 2, 2]));
    return {
      targets: [
        ...functionTargets({
          readNbt: [readNbt, () => [Uint8Array.of(10, 0, 0, ...COMPOUND)]],
          readNbtCompound: [readNbtCompound, () => [Uint8Array.from(COMPOUND)]],
          readMinecraftLevel: [readMinecraftLevel, () => [Uint8Array.of(10, 0, 0, ...COMPOUND)]],
          openSchematic: [
            openSchematic,
            () => [Uint8Array.of(10, 0, 0, ...COMPOUND), "a.schem", { bytesMax: 1_024, voxelsMax: 64 }],
          ],
          flattenBlock: [flattenBlock, () => ["17:4"]],
          openVox: [openVox, () => [new Uint8Array(32), "a.vox"]],
        }),
        ...functionTargets(
          { openRegion: [openRegion, () => [disk, REGION]] },
          { dispose: (opened) => (opened as { close(): Promise<void> }).close() },
        ),
        ...functionTargets({
          openTiled: [openTiled, () => [disk, "map.tmj"]],
          openLuanti: [openLuanti, () => [disk, REGION]],
          exportBox: [exportBox, () => [world, box([0, 0, 0], [2, 2, 2]), "a.schem"]],
          exportClipboard: [exportClipboard, () => [clipboard, "a.schem", { names: { stone: "rock" } }]],
          importClipboard: [importClipboard, () => [Uint8Array.of(10, 0, 0, ...COMPOUND), "a.schem"]],
        }),
        ...methodTargets("RegionFile", region, { columns: () => [[]] }),
        ...methodTargets(
          "ColumnSection",
          new ColumnSection([0, 0, 0], [16, 16, 16], ["minecraft:stone"], undefined),
          { packInto: () => [new Uint32Array(512)], holds: () => [() => true] },
        ),
        ...methodTargets("NbtCompound", readNbtCompound(Uint8Array.from(COMPOUND)), {
          has: () => ["a"],
          integer: () => ["a"],
          long: () => ["a"],
          text: () => ["a"],
          bytes: () => ["a"],
          longs: () => ["a"],
          compound: () => ["a"],
          compounds: () => ["a"],
          compoundsOfFirst: () => ["a"],
          triple: () => ["a"],
          count: () => ["a"],
          toBytes: () => [],
          toMap: () => [16],
        }),
      ],
      finish: async () => {
        await region.close();
        await world.close();
        return [];
      },
    };
  },
};
