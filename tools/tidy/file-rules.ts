import type { Finding } from "../finding.ts";
import type { SourceFile } from "../source-tree.ts";

const FILE_BYTES_MAX = 1024 * 1024;
const DRAWERS = ["utils", "util", "common", "shared", "misc", "helpers", "impl"];

/** Finds files and folders that are too large, or whose name says nothing. */
export function checkFile(file: SourceFile): readonly Finding[] {
  return [...checkByteCount(file), ...checkName(file)];
}

function checkByteCount({ path, byteCount }: SourceFile): readonly Finding[] {
  if (byteCount <= FILE_BYTES_MAX) return [];
  const problem = `has ${byteCount} bytes, the limit is ${FILE_BYTES_MAX}`;
  return [{ path, line: 0, problem, remedy: "generate it, or shrink it" }];
}

function checkName({ path }: SourceFile): readonly Finding[] {
  return path.split("/").flatMap((segment) => {
    const name = segment.replace(/\..*$/, "");
    const drawer = DRAWERS.find((word) => name === word || name.endsWith(`-${word}`));
    if (drawer === undefined) return [];
    return [{ path, line: 0, problem: `is named "${drawer}"`, remedy: "name it after what it holds" }];
  });
}
