import type { Finding } from "../finding.ts";
import type { SourceFile } from "../source-tree.ts";

const SOURCE_LINES_MAX = 400;
const TEST_LINES_MAX = 800;
const FILE_BYTES_MAX = 1024 * 1024;
const DRAWERS = ["utils", "util", "common", "shared", "misc", "helpers", "impl"];

/** Finds files and folders that are too large, or whose name says nothing. */
export function checkFile(file: SourceFile): readonly Finding[] {
  return [...checkLineCount(file), ...checkByteCount(file), ...checkName(file)];
}

function checkLineCount({ path, text }: SourceFile): readonly Finding[] {
  if (!path.endsWith(".ts")) return [];
  const lines = text.replace(/\n$/, "").split("\n").length;
  const max = path.endsWith(".test.ts") ? TEST_LINES_MAX : SOURCE_LINES_MAX;
  if (lines <= max) return [];
  return [{ path, line: max + 1, problem: `has ${lines} lines, at most ${max} allowed`, remedy: "split it" }];
}

function checkByteCount({ path, byteCount }: SourceFile): readonly Finding[] {
  if (byteCount <= FILE_BYTES_MAX) return [];
  const problem = `has ${byteCount} bytes, at most ${FILE_BYTES_MAX} allowed`;
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
