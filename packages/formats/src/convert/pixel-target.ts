import { OrthantError } from "@orthant/core";
import type { Disk } from "@orthant/disk";
import type { PixelBody, PixelFacts } from "@orthant/pixel-world";
import { CHUNK_EDGE, PixelSaveWriter, Version1Writer } from "@orthant/pixel-world";

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
