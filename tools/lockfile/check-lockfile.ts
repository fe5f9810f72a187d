import type { Finding } from "../finding.ts";
import { findFile, type SourceFile, type SourceTree } from "../source-tree.ts";
import { type Lockfile, missingPlatformEntries } from "./platform-entries.ts";

/** Name of npm's lockfiles. The workspace has one, and so has each folder that is installed separately. */
const LOCKFILE = "package-lock.json";

/** Finds entries that `npm ci` would miss, and entries that are bound to one registry. */
export function checkLockfile(tree: SourceTree): readonly Finding[] {
  if (findFile(tree, LOCKFILE) === undefined)
    return [{ path: LOCKFILE, line: 0, problem: "is missing", remedy: "run npm install" }];
  return lockfilesIn(tree).flatMap(checkOne);
}

/** Returns all lockfiles of the repository. */
export function lockfilesIn(tree: SourceTree): readonly SourceFile[] {
  return tree.filter(({ path }) => path === LOCKFILE || path.endsWith(`/${LOCKFILE}`));
}

function checkOne({ path, text }: SourceFile): readonly Finding[] {
  const finding = (problem: string, remedy: string): Finding => ({ path, line: 0, problem, remedy });
  const lockfile = JSON.parse(text) as Lockfile;
  const missing = missingPlatformEntries(lockfile).map(({ location, wantedBy }) =>
    finding(`lacks ${location}, wanted by ${wantedBy}`, "run npm run lockfile"),
  );
  const bound = Object.entries(lockfile.packages)
    .filter(([, { resolved, link }]) => resolved !== undefined && link !== true)
    .map(([location]) =>
      finding(`has an address for ${location}`, "set omit-lockfile-registry-resolved in .npmrc"),
    );
  return [...missing, ...bound];
}
