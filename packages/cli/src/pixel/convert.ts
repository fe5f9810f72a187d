import { OrthantError } from "@orthant/core";
import type { Disk } from "@orthant/disk";
import {
  type ConversionReport,
  convertPixelToPixel,
  convertPixelToTree,
  convertTreeToPixel,
  type DetectedPixelWorld,
  type Finding,
  openPixelSave,
  type PixelConvertOptions,
  type PixelTargetKind,
  type Save,
  verifyPixelWorld,
  verifySave,
} from "@orthant/formats";
import type { Context } from "../context.ts";
import { requireNewFolder } from "../new-folder.ts";
import { UsageError } from "../usage-error.ts";

/** What `--to` may say about pixel worlds. */
export const PIXEL_TARGETS: Readonly<Record<string, PixelTargetKind>> = { pxsw: "version2", pxsw1: "native" };
/** The name of the file in a folder that is made. */
const FILES: Readonly<Record<PixelTargetKind, string>> = { version2: "world.pxsw", native: "world.save" };

/** A conversion that was asked for; without `--dry-run` its folder is made. */
export interface PixelWish {
  readonly target: string;
  readonly isDry: boolean;
  readonly options: PixelConvertOptions;
}

/** Converts a pixel world into a tree, or into the other version. */
export async function convertFromPixels(
  disk: Disk,
  { evidence, dialect }: DetectedPixelWorld,
  to: PixelTargetKind | "tree",
  wish: PixelWish,
  context: Context,
): Promise<ConversionReport> {
  if (to === dialect) throw new UsageError(`"${evidence}" is ${dialect} already`);
  const save = await openPixelSave(disk, evidence);
  try {
    if (to === "tree") {
      return await make(wish, context, (made) => convertPixelToTree(save, made, wish.options), verifySave);
    }
    const path = FILES[to];
    const convert = (made: Disk | undefined): Promise<ConversionReport> =>
      convertPixelToPixel(save, to, made && { disk: made, path }, wish.options);
    return await make(wish, context, convert, (made) => verifyPixelWorld(made, path));
  } finally {
    await save.close();
  }
}

/** Converts a native save into a pixel world. */
export function convertToPixels(
  save: Save,
  to: PixelTargetKind,
  wish: PixelWish,
  context: Context,
): Promise<ConversionReport> {
  const path = FILES[to];
  const convert = (made: Disk | undefined): Promise<ConversionReport> =>
    convertTreeToPixel(save, to, made && { disk: made, path }, wish.options);
  return make(wish, context, convert, (made) => verifyPixelWorld(made, path));
}

/** Makes the folder, and gives it its name when what is in it was verified. */
async function make(
  { target, isDry }: PixelWish,
  context: Context,
  convert: (made: Disk | undefined) => Promise<ConversionReport>,
  verify: (made: Disk) => Promise<readonly Finding[]>,
): Promise<ConversionReport> {
  if (isDry) {
    await requireNewFolder(target);
    return convert(undefined);
  }
  return context.makeFolder(target, async (made) => {
    const converted = await convert(made);
    const [fault] = (await verify(made)).filter(({ severity }) => severity === "damage");
    if (fault === undefined) return converted;
    throw new OrthantError("ORT_RECORD", `what was written is not whole: ${fault.message}`);
  });
}
