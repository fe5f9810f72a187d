import { accessSync, constants } from "node:fs";
import { delimiter, join } from "node:path";

const NAMES = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable"];
const FOLDERS = ["/usr/bin", "/usr/local/bin", "/snap/bin", "/opt/google/chrome"];

/** Returns the path of a Chromium in PATH or one of the usual folders; `undefined` if there is none. */
export function findChromium(): string | undefined {
  const folders = [...(process.env["PATH"] ?? "").split(delimiter), ...FOLDERS];
  return NAMES.flatMap((name) => folders.map((folder) => join(folder, name))).find(isExecutable);
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false; // not there
  }
}
