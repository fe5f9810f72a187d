import { OrthantError } from "@orthant/core";

/** Throws `ORT_PATH` unless the path names a file or directory inside the root, in its one plain spelling. */
export function requirePath(path: string): void {
  const plain = path.length > 0 && path.split("/").every(isPlainName);
  if (!plain) throw new OrthantError("ORT_PATH", `${JSON.stringify(path)} is not a plain relative path`);
}

/** As {@link requirePath}, but the empty path, which is the root, is a directory too. */
export function requireDirectoryPath(path: string): void {
  if (path !== "") requirePath(path);
}

/** The directory that a path lies in; the root is `""`. */
export function parentOf(path: string): string {
  return path.slice(0, Math.max(0, path.lastIndexOf("/")));
}

/** The last part of a path. */
export function nameOf(path: string): string {
  return path.slice(path.lastIndexOf("/") + 1);
}

/** Whether a path is a directory or lies in it. */
export function isWithin(directory: string, path: string): boolean {
  return path === directory || path.startsWith(`${directory}/`);
}

// Backslash and colon would name another place on Windows, and no path of ours needs them.
function isPlainName(name: string): boolean {
  return name !== "" && name !== "." && name !== ".." && !/[\\:\0]/.test(name);
}
