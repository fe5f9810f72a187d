import { hash } from "node:crypto";
import type { DiskImage } from "@orthant/disk";

/** Digests of file contents. Images share the bytes of files without pending changes. */
const contentDigests = new WeakMap<Uint8Array, string>();

/**
 * Identifies the contents of a disk together with the expectation: 128 bits of SHA-256, equal for equal
 * directories, files and expectations.
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

/** Returns 22 letters of 6 bits. */
function shortened(digest: string): string {
  return digest.slice(0, 22);
}
