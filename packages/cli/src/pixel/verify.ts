import type { Disk } from "@orthant/disk";
import type { Finding } from "@orthant/disk/files";
import type { DetectedPixelWorld } from "@orthant/formats";
import { verifyPixelWorld } from "@orthant/pixel-world";
import type { Context } from "../context.ts";

/** Returns all faults of a pixel world. */
export async function verifyPixels(
  disk: Disk,
  { evidence }: DetectedPixelWorld,
  context: Context,
): Promise<readonly Finding[]> {
  const progress = context.progress("verifying", "chunks");
  try {
    return await verifyPixelWorld(disk, evidence, { onChunk: () => progress.advance(1) });
  } finally {
    progress.end();
  }
}
