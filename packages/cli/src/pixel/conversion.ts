import type { Disk } from "@orthant/disk";
import {
  convertPixelToPixel,
  convertPixelToTree,
  convertTreeToPixel,
  type DetectedPixelWorld,
  type PixelTargetKind,
} from "@orthant/formats";
import { openPixelSave, verifyPixelWorld } from "@orthant/pixel-world";
import { type Save, verifySave } from "@orthant/save";
import type { OpenConversion } from "../open-conversion.ts";
import { UsageError } from "../usage.ts";

/** The pixel formats of `--to`, and the file name that each one gets in the new folder. */
const TARGETS: Readonly<Record<"pxsw" | "pxsw1", { readonly kind: PixelTargetKind; readonly path: string }>> =
  {
    pxsw: { kind: "version2", path: "world.pxsw" },
    pxsw1: { kind: "native", path: "world.save" },
  };

type PixelTarget = keyof typeof TARGETS;

/** Converts a pixel world to a native one, or to the other version. */
export async function conversionFromPixels(
  disk: Disk,
  { evidence, dialect }: DetectedPixelWorld,
  to: PixelTarget | "tree",
): Promise<OpenConversion> {
  if (to !== "tree" && TARGETS[to].kind === dialect) {
    throw new UsageError(`"${evidence}" is ${dialect} already`);
  }
  const save = await openPixelSave(disk, evidence);
  const common = {
    from: dialect,
    unit: "chunks",
    steps: save.chunkCount,
    close: () => save.close(),
  } as const;
  if (to === "tree") {
    return {
      ...common,
      to,
      run: (made, onChunk) => convertPixelToTree(save, made, { acceptLosses: true, onChunk }),
      verify: (made) => verifySave(made),
    };
  }
  const { kind, path } = TARGETS[to];
  return {
    ...common,
    to: kind,
    run: (made, onChunk) =>
      convertPixelToPixel(save, kind, made && { disk: made, path }, { acceptLosses: true, onChunk }),
    verify: (made) => verifyPixelWorld(made, path),
  };
}

/** Converts a native world to a pixel world. */
export function conversionToPixels(save: Save, to: PixelTarget, standInBlock: number): OpenConversion {
  const { kind, path } = TARGETS[to];
  const options = { acceptLosses: true, standInBlock };
  return {
    from: "tree",
    to: kind,
    unit: "chunks",
    run: (made, onChunk) =>
      convertTreeToPixel(save, kind, made && { disk: made, path }, { ...options, onChunk }),
    verify: (made) => verifyPixelWorld(made, path),
    close: () => save.close(),
  };
}
