import { readdir, readFile } from "node:fs/promises";
import { extname, join, relative, sep } from "node:path";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import { OrthantError } from "@orthant/core";
import { type PageOptions, pagePolicy } from "./page-policy.ts";

/** A file of a web page, ready to send. */
export interface PageFile {
  readonly type: string;
  readonly bytes: Uint8Array;
  readonly gzipped: Uint8Array;
  /** Whether its name changes with its content, so that browsers may cache it forever. */
  readonly isFixed: boolean;
}

/** A web page, ready to send. */
export interface ServedPage {
  /** Its files, by their request path. */
  readonly files: ReadonlyMap<string, PageFile>;
  /** The `Content-Security-Policy` of every file. */
  readonly policy: string;
}

/** Limits of a page, which is held in memory. */
const PAGE_FILES_MAX = 256;
const PAGE_BYTES_MAX: number = 16 * 1024 * 1024;
const INDEX_FILE = "index.html";
/** Folder where build tools put files named by hashes of their content. */
const FIXED_FOLDER = "assets/";

const TYPES: ReadonlyMap<string, string> = new Map([
  [".css", "text/css; charset=utf-8"],
  [".html", "text/html; charset=utf-8"],
  [".js", "text/javascript; charset=utf-8"],
  [".json", "application/json"],
  [".png", "image/png"],
  [".svg", "image/svg+xml"],
  [".wasm", "application/wasm"],
  [".webp", "image/webp"],
]);

/** Reads a page. Throws `ORT_ARGUMENT` for a bad policy, and otherwise as `readPageFiles` does. */
export async function readPage(page: string | URL | PageOptions): Promise<ServedPage> {
  const options = typeof page === "string" || page instanceof URL ? { folder: page } : page;
  const policy = pagePolicy(options);
  return { files: await readPageFiles(options.folder), policy };
}

/**
 * Reads all files of a folder, by their request path; `/` is `index.html`. They are read once, so a request
 * never touches the disk. Throws `ORT_NOT_FOUND` without an index, and `ORT_LIMIT` for more than a page
 * should have.
 */
async function readPageFiles(folder: string | URL): Promise<ReadonlyMap<string, PageFile>> {
  const root = typeof folder === "string" ? folder : fileURLToPath(folder);
  const files = new Map<string, PageFile>();
  let bytes = 0;
  for (const path of await filesBelow(root)) {
    const content = await readFile(join(root, path));
    bytes += content.length;
    if (files.size >= PAGE_FILES_MAX || bytes > PAGE_BYTES_MAX) {
      throw new OrthantError("ORT_LIMIT", `${root} has more than a page should have`);
    }
    const name = path.split(sep).join("/");
    const file = pageFile(name, content);
    files.set(`/${name}`, file);
    if (name === INDEX_FILE) files.set("/", file);
  }
  if (!files.has("/")) throw new OrthantError("ORT_NOT_FOUND", `${root} has no ${INDEX_FILE}`);
  return files;
}

async function filesBelow(root: string): Promise<readonly string[]> {
  try {
    const entries = await readdir(root, { recursive: true, withFileTypes: true });
    return entries
      .filter((entry) => entry.isFile())
      .map(({ parentPath, name }) => relative(root, join(parentPath, name)));
  } catch (cause) {
    throw new OrthantError("ORT_NOT_FOUND", `there is no folder ${root}`, {}, { cause });
  }
}

function pageFile(name: string, bytes: Uint8Array): PageFile {
  return {
    type: TYPES.get(extname(name)) ?? "application/octet-stream",
    bytes,
    gzipped: gzipSync(bytes, { level: 9 }),
    isFixed: name.startsWith(FIXED_FOLDER),
  };
}
