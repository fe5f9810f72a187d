import { OrthantError } from "@orthant/core";
import type { DiskFile } from "@orthant/disk";
import { BROWSER_MAGIC, HEADER_SLOT_BYTES, NATIVE_MAGIC, VERSION2_MAGIC } from "./layout.ts";

/**
 * The three kinds of file: `native` and `browser` are version 1, as written by the original's native program
 * and by its web page; `version2` is ours.
 */
export type PixelDialect = "native" | "browser" | "version2";

const MAGIC_BYTES = 4;
const DIALECTS: Readonly<Record<string, PixelDialect>> = {
  [NATIVE_MAGIC]: "native",
  [BROWSER_MAGIC]: "browser",
  [VERSION2_MAGIC]: "version2",
};

/**
 * Returns the dialect of an open file, judged by its first bytes, or `undefined` if it is not a pixel world.
 * For version 2 either header is enough.
 */
export async function pixelDialectOf(file: DiskFile): Promise<PixelDialect | undefined> {
  const size = await file.size();
  for (const offset of [0, HEADER_SLOT_BYTES]) {
    if (size < offset + MAGIC_BYTES) return undefined;
    const found = DIALECTS[String.fromCharCode(...(await file.readAt(offset, MAGIC_BYTES)))];
    if (found !== undefined && (offset === 0 || found === "version2")) return found;
  }
  return undefined;
}

/** Returns the dialect of an open file. Throws `ORT_MAGIC` if it is not a pixel world. */
export async function requirePixelDialect(file: DiskFile, path: string): Promise<PixelDialect> {
  const dialect = await pixelDialectOf(file);
  if (dialect !== undefined) return dialect;
  throw new OrthantError("ORT_MAGIC", "the file does not begin as a pixel world does", { path });
}
