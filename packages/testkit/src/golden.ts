import { existsSync, readdirSync } from "node:fs";
import { join, posix, resolve } from "node:path";
import { fileURLToPath } from "node:url";

/** The golden files in this repository. */
const OWN: string = fileURLToPath(new URL("../../../golden/files", import.meta.url));
/** Files that other people made, which are not in this repository, by their paths in the golden folder. */
const BORROWED = /^imports\/(?:minecraft\b|(?:schematics|vox)\/(?!synthetic\b))/;
const MESSAGE =
  "golden: SKIPPED what reads other people's files, which are not part of this repository; set ORTHANT_GOLDEN to their folder\n";

let hasWarned = false;

/** Returns the path of a golden file or folder, which exists unless it holds files of other people: see {@link hasGolden}. */
export function goldenPath(...segments: readonly string[]): string {
  const path = posix.join(...segments);
  return join(BORROWED.test(path) ? borrowedFolder() : OWN, path);
}

/** Whether a golden file or folder is here. All files of this repository are; says once when others are missing. */
export function hasGolden(...segments: readonly string[]): boolean {
  if (!BORROWED.test(posix.join(...segments)) || existsSync(goldenPath(...segments))) return true;
  if (!hasWarned) process.stderr.write(MESSAGE);
  hasWarned = true;
  return false;
}

/** Returns the files below a golden folder that are here, in this repository or outside, by their paths in the golden folder. */
export function goldenFiles(folder: string): readonly string[] {
  const own = filesBelow(OWN, folder);
  const borrowed = filesBelow(borrowedFolder(), folder).filter((path) => BORROWED.test(path));
  return [...own, ...borrowed].sort();
}

function filesBelow(root: string, folder: string): readonly string[] {
  if (!existsSync(join(root, folder))) return [];
  return readdirSync(join(root, folder), { recursive: true, encoding: "utf8" }).map((path) =>
    posix.join(folder, path.replaceAll("\\", "/")),
  );
}

function borrowedFolder(): string {
  return resolve(process.env["ORTHANT_GOLDEN"] ?? "../shared/golden");
}
