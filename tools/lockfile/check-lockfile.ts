import type { Finding } from "../finding.ts";
import { findFile, type SourceTree } from "../source-tree.ts";
import { type Lockfile, missingPlatformEntries } from "./platform-entries.ts";

/** Path of npm's lockfile. */
export const LOCKFILE_PATH = "package-lock.json";

/** Finds entries that `npm ci` would miss, and entries that are bound to one registry. */
export function checkLockfile(tree: SourceTree): readonly Finding[] {
  const file = findFile(tree, LOCKFILE_PATH);
  if (file === undefined) return [lockfileFinding("is missing", "run npm install")];
  const lockfile = JSON.parse(file.text) as Lockfile;
  const missing = missingPlatformEntries(lockfile).map(({ location, wantedBy }) =>
    lockfileFinding(`lacks ${location}, wanted by ${wantedBy}`, "run npm run lockfile"),
  );
  const bound = Object.entries(lockfile.packages)
    .filter(([, { resolved, link }]) => resolved !== undefined && link !== true)
    .map(([location]) =>
      lockfileFinding(`has an address for ${location}`, "set omit-lockfile-registry-resolved in .npmrc"),
    );
  return [...missing, ...bound];
}

function lockfileFinding(problem: string, remedy: string): Finding {
  return { path: LOCKFILE_PATH, line: 0, problem, remedy };
}
