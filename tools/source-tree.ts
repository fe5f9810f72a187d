import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

/** One file of the repository; `path` is relative to its root and uses forward slashes. */
export interface SourceFile {
  readonly path: string;
  /** Empty for binary files. */
  readonly text: string;
  readonly byteCount: number;
}

/** All files that a check reads, sorted by path. */
export type SourceTree = readonly SourceFile[];

const SKIPPED_FOLDERS = new Set(["node_modules", "dist", "build", "coverage", ".git", ".campaigns"]);
/** Golden files are data: other programs wrote them, and they keep every byte. */
const DATA_FOLDERS = /^golden\/files\//;
// In a second working tree of a repository, .git is a file.
const SKIPPED_FILES = /\.tsbuildinfo$|^\.DS_Store$|^\.git$/;

/** Reads the files under `root` that belong to the repository, without dependencies and build output. */
export function readSourceTree(root: string): SourceTree {
  return listFiles(root, "")
    .sort()
    .map((path) => readSourceFile(root, path));
}

/** Creates a file from its text, for trees that are not on disk. */
export function sourceFile(path: string, text: string): SourceFile {
  return { path, text, byteCount: Buffer.byteLength(text) };
}

/** Returns the file at exactly `path`, if the tree has it. */
export function findFile(tree: SourceTree, path: string): SourceFile | undefined {
  return tree.find((file) => file.path === path);
}

function listFiles(root: string, folder: string): string[] {
  return readdirSync(join(root, folder), { withFileTypes: true }).flatMap((entry) => {
    const path = folder === "" ? entry.name : `${folder}/${entry.name}`;
    if (entry.isDirectory())
      return SKIPPED_FOLDERS.has(entry.name) || DATA_FOLDERS.test(path) ? [] : listFiles(root, path);
    return entry.isFile() && !SKIPPED_FILES.test(entry.name) ? [path] : [];
  });
}

function readSourceFile(root: string, path: string): SourceFile {
  const bytes = readFileSync(join(root, path));
  return { path, text: bytes.includes(0) ? "" : bytes.toString("utf8"), byteCount: bytes.length };
}
