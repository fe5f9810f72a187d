import { readFileSync } from "node:fs";
import { extname, join, posix } from "node:path";
import { gzipSync } from "node:zlib";

const PART = /<(?:script|img)[^>]*\ssrc="(?<source>[^"]+)"|<link rel="stylesheet" href="(?<style>[^"]+)"/g;
const IMPORT = /(?:\bfrom|\bimport)\s*"(?<module>\.\.?\/[^"]+)"/g;
const sizes = new Map<string, number>();

/** Returns the bytes of a page and of all that it names: styles, programs with their imports, and pictures. */
export function firstLoadBytes(site: string, page: string): number {
  const parts = new Set([page]);
  // Grows while it is walked.
  for (const path of parts) {
    const isPage = path === page;
    if (!isPage && extname(path) !== ".js") continue;
    for (const { groups } of readFileSync(join(site, path), "utf8").matchAll(isPage ? PART : IMPORT)) {
      const target = groups?.["source"] ?? groups?.["style"] ?? groups?.["module"] ?? "";
      parts.add(posix.join(posix.dirname(path), target));
    }
  }
  return [...parts].reduce((sum, path) => sum + compressedBytes(join(site, path)), 0);
}

/** Whether a file is a picture that is compressed already. */
export function isPacked(path: string): boolean {
  return /\.(?:png|webp)$/.test(path);
}

/** Returns a file's size as web servers send it: compressed, unless it is a picture that already is. */
function compressedBytes(path: string): number {
  const known = sizes.get(path);
  if (known !== undefined) return known;
  const bytes = readFileSync(path);
  const size = isPacked(path) ? bytes.length : gzipSync(bytes).length;
  sizes.set(path, size);
  return size;
}
