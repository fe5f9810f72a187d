import { OrthantError } from "@orthant/core";
import { requireText } from "@orthant/core/arguments";

/**
 * Throws `ORT_PATH` unless the path names a file or directory inside the root, in its one plain
 * spelling. `name` is that of the argument.
 */
export function requirePath(path: string, name = "path"): void {
  requireText(name, path);
  const plain = path.length > 0 && path.split("/").every(isPlainName);
  if (!plain) throw new OrthantError("ORT_PATH", `${JSON.stringify(path)} is not a plain relative path`);
}

/** Like {@link requirePath}, but also accepts the empty path, which is the root. */
export function requireDirectoryPath(directory: string): void {
  if (directory !== "") requirePath(directory, "directory");
}

/** Returns the directory that contains a path; the root is `""`. */
export function parentOf(path: string): string {
  requireText("path", path);
  return path.slice(0, Math.max(0, path.lastIndexOf("/")));
}

/** Returns the last part of a path. */
export function nameOf(path: string): string {
  requireText("path", path);
  return path.slice(path.lastIndexOf("/") + 1);
}

/** Whether a path is a directory or lies in it. */
export function isWithin(directory: string, path: string): boolean {
  requireText("directory", directory);
  requireText("path", path);
  return path === directory || path.startsWith(`${directory}/`);
}

// Backslash and colon would have another meaning on Windows, and no path of ours needs them.
function isPlainName(name: string): boolean {
  return name !== "" && name !== "." && name !== ".." && !/[\\:\0]/.test(name);
}
