import { hash } from "node:crypto";
import type { DiskImage } from "@orthant/disk";

/** Digests of file contents. Images share the bytes of files to which nothing pending was done. */
const contentDigests = new WeakMap<Uint8Array, string>();

/**
 * Identifies what a disk holds together with a description of what is expected of it: 128 bits of SHA-256, equal for
 * equal directories, files and cases.
 */
export function imageDigest({ directories, files }: DiskImage, expected: string): string {
  const lines = [`expected ${expected.length} ${expected}`];
  for (const path of directories) lines.push(`directory ${JSON.stringify(path)}`);
  for (const [path, bytes] of files) lines.push(`file ${JSON.stringify(path)} ${contentDigest(bytes)}`);
  return shortened(hash("sha256", lines.sort().join("\n"), "base64url"));
}

function contentDigest(bytes: Uint8Array): string {
  const known = contentDigests.get(bytes);
  if (known !== undefined) return known;
  const digest = shortened(hash("sha256", bytes, "base64url"));
  contentDigests.set(bytes, digest);
  return digest;
}

/** 22 letters of 6 bits. */
function shortened(digest: string): string {
  return digest.slice(0, 22);
}
