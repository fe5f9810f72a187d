import { OrthantError } from "@orthant/core";
import type { Disk } from "@orthant/disk";
import {
  CHUNK_EDGE,
  DEFAULT_LAYERS,
  PIXEL_BYTES,
  type PixelBody,
  type PixelFacts,
  type PixelSave,
  PixelSaveWriter,
  pixelsOf,
  Version1Writer,
} from "@orthant/pixel-world";
import { checkedFileTarget } from "../format/checked-arguments.ts";
import {
  type ConversionCounts,
  type ConversionLosses,
  type ConversionReport,
  listingFirst,
} from "../format/losses.ts";
import {
  checkedPixelOptions,
  type PixelConvertOptions,
  requirePixelSave,
  requireTargetKind,
} from "./checked-arguments.ts";

/**
 * Writes a pixel world in the other version to a new file. Without a disk, only reports what would be lost.
 * Version 1 becomes version 2 without loss, even with a generator, whose identity is then in the file. A
 * chunk stored as changes requires the generator.
 */
export function convertPixelToPixel(
  save: PixelSave,
  kind: PixelTargetKind,
  target: { readonly disk: Disk; readonly path: string } | undefined,
  options: PixelConvertOptions = {},
): Promise<ConversionReport> {
  requirePixelSave(save);
  requireTargetKind(kind);
  const file = checkedFileTarget(target);
  const checked = checkedPixelOptions(options);
  const { facts } = save;
  if (kind === "native" && (facts.chunkEdge !== CHUNK_EDGE || facts.layers.length !== PIXEL_BYTES)) {
    const detail = `chunks of ${facts.chunkEdge} pixels with ${facts.layers.length} layers, where version 1 has 512 and 4`;
    throw new OrthantError("ORT_DIALECT", detail);
  }
  return listingFirst(file === undefined, checked, async (losses, isDry) => {
    const generator = checked.generator?.ref ?? facts.generator;
    const written: PixelFacts = kind === "version2" ? { ...facts, generator } : facts;
    const writer = isDry || file === undefined ? undefined : await openTarget(kind, file, written, checked);
    try {
      return await copy(save, kind, writer, losses, checked);
    } finally {
      await writer?.close();
    }
  });
}

async function openTarget(
  kind: PixelTargetKind,
  { disk, path }: { readonly disk: Disk; readonly path: string },
  facts: PixelFacts,
  { generator }: PixelConvertOptions,
): Promise<PixelTarget> {
  if (kind === "native") return openPixelTarget(kind, disk, path, facts);
  const writer = await PixelSaveWriter.create(disk, path, facts);
  return {
    addPixels: (x, y, pixels) => writer.addPixels(x, y, pixels, generator),
    addBody: (body) => writer.addBody(body),
    finish: (modifiedMs) => writer.finish(modifiedMs),
    close: () => writer.close(),
  };
}

async function copy(
  save: PixelSave,
  kind: PixelTargetKind,
  writer: PixelTarget | undefined,
  losses: ConversionLosses,
  { generator, onChunk }: PixelConvertOptions,
): Promise<ConversionCounts> {
  const { facts } = save;
  if (kind === "native") noteVersion1Losses(facts, losses);
  for (const ref of save.chunks()) {
    onChunk?.();
    const pixels = pixelsOf(await save.readChunk(ref), facts, generator, ref.x, ref.y);
    await writer?.addPixels(ref.x, ref.y, pixels);
  }
  for (const ref of save.bodies()) await writer?.addBody(await save.readBody(ref));
  await writer?.finish(save.modifiedMs);
  return { chunks: save.chunkCount, entities: save.bodyCount, players: 0 };
}

function noteVersion1Losses({ generator, layers }: PixelFacts, losses: ConversionLosses): void {
  if (generator !== undefined) losses.add("the identity of the generator", "version 1 has a seed alone");
  const renamed = layers.filter(({ name }, index) => name !== DEFAULT_LAYERS[index]?.name).length;
  losses.add("names of layers", "version 1 calls them material, color, damage and flags", renamed);
}

/** File to write: ours, or the native one that the original program opens. */
export type PixelTargetKind = "version2" | "native";

/** A pixel world that is being written. */
export interface PixelTarget {
  addPixels(x: number, y: number, pixels: Uint8Array): Promise<void>;
  addBody(body: PixelBody): Promise<void>;
  finish(modifiedMs: number): Promise<void>;
  close(): Promise<void>;
}

/** Begins a file of the given kind. */
export async function openPixelTarget(
  kind: PixelTargetKind,
  disk: Disk,
  path: string,
  facts: PixelFacts,
): Promise<PixelTarget> {
  if (kind === "version2") return PixelSaveWriter.create(disk, path, facts);
  if (facts.chunkEdge !== CHUNK_EDGE) {
    throw new OrthantError(
      "ORT_DIALECT",
      `chunks of ${facts.chunkEdge} pixels, where version 1 has ${CHUNK_EDGE}`,
    );
  }
  const writer = await Version1Writer.create(disk, path);
  return {
    addPixels: (x, y, pixels) =>
      writer.addChunk(
        x,
        y,
        pixels.some((byte) => byte !== 0) ? { storage: "full", pixels } : { storage: "empty" },
      ),
    addBody: (body) => writer.addBody(body),
    finish: (modifiedMs) =>
      writer.finish({ worldSeed: facts.worldSeed, createdMs: facts.createdMs, modifiedMs }),
    close: () => writer.close(),
  };
}
