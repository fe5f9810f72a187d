import { OrthantError } from "@orthant/core";
import type { Disk } from "@orthant/disk";
import {
  type ConversionReport,
  convertSave,
  type Dialect,
  exportTileSave,
  importTileSave,
  openSave,
  openTileSave,
  verifySave,
} from "@orthant/formats";
import type { Context } from "../context.ts";
import { UsageError } from "../usage-error.ts";

/** What `convert` can write: the two dialects of a world, and the save of a tile game. */
export const TARGETS: readonly Target[] = ["tree", "flat", "tilesave"];
type Target = Dialect | "tilesave";

/** What is asked of a conversion. */
export interface ConversionWishes {
  readonly folder: string;
  /** The format to write; `undefined` for the usual one. */
  readonly to: string | undefined;
  readonly generation: number | undefined;
  readonly standInMaterial: number;
}

/** One conversion, ready to be made. */
export interface Conversion {
  readonly from: Target;
  readonly to: Target;
  /** Of the world that is converted; `undefined` for a save that has none. */
  readonly generation: number | undefined;
  /** Writes it, or without a disk only says what would be lost. */
  run(target: Disk | undefined): Promise<ConversionReport>;
  close(): Promise<void>;
}

/** A conversion of a world. */
export async function conversionOfWorld(
  disk: Disk,
  wishes: ConversionWishes,
  context: Context,
): Promise<Conversion> {
  const { folder, generation, standInMaterial } = wishes;
  const save = await openSave(disk, generation === undefined ? {} : { generation });
  const to = TARGETS.find((target) => target === wishes.to) ?? (save.dialect === "tree" ? "flat" : "tree");
  if (to === save.dialect) {
    await save.close();
    throw new UsageError(`"${folder}" is ${to} already`);
  }
  return {
    from: save.dialect,
    to,
    generation: save.generation,
    async run(target) {
      const progress = context.progress("converting", "leaves", save.leaves.length);
      const onLeaf = (): void => progress.advance(1);
      try {
        if (to === "tilesave") return await exportTileSave(save, target, { onLeaf });
        const report = await convertSave(save, to, target, { standInMaterial, onLeaf });
        if (target !== undefined) await requireWhole(target);
        return report;
      } finally {
        progress.end();
      }
    },
    close: () => save.close(),
  };
}

/** A conversion of a tile save, which is always one to a world as Orthant writes it. */
export async function conversionOfTiles(
  disk: Disk,
  { folder, to = "tree", generation }: ConversionWishes,
  context: Context,
): Promise<Conversion> {
  if (to !== "tree") throw new UsageError(`"${folder}" is a tilesave, which becomes a tree and nothing else`);
  if (generation !== undefined) throw new UsageError(`"${folder}" is a tilesave, which has no generations`);
  const { save, file, fault } = await openTileSave(disk);
  if (fault !== undefined) context.note(`${fault.message}; ${file} is converted instead`);
  return {
    from: "tilesave",
    to: "tree",
    generation: undefined,
    async run(target) {
      const report = await importTileSave(save, target, context.clock.nowMs());
      if (target !== undefined) await requireWhole(target);
      return report;
    },
    close: async () => undefined,
  };
}

async function requireWhole(made: Disk): Promise<void> {
  const [fault] = (await verifySave(made)).filter(({ severity }) => severity === "damage");
  if (fault === undefined) return;
  throw new OrthantError("ORT_RECORD", `what was written is not whole: ${fault.message}`);
}
