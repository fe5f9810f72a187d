import { OrthantError } from "@orthant/core";
import type { Disk } from "@orthant/disk";

/** Reads a file of at most `bytesMax` bytes. */
export async function readWhole(disk: Disk, path: string, bytesMax = 0x7fff_ffff): Promise<Uint8Array> {
  const file = await disk.open(path, "read");
  try {
    const size = await file.size();
    if (size > bytesMax) {
      throw new OrthantError("ORT_LIMIT", `${size} bytes where at most ${bytesMax} may be`, { path });
    }
    return await file.readAt(0, size);
  } finally {
    await file.close();
  }
}

/** Reads at most the first `bytesMax` bytes of a file. */
export async function readBeginning(disk: Disk, path: string, bytesMax: number): Promise<Uint8Array> {
  const file = await disk.open(path, "read");
  try {
    return await file.readAt(0, Math.min(bytesMax, await file.size()));
  } finally {
    await file.close();
  }
}

/** Returns the size of a file. */
export async function fileSize(disk: Disk, path: string): Promise<number> {
  const file = await disk.open(path, "read");
  try {
    return await file.size();
  } finally {
    await file.close();
  }
}
