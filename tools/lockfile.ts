import { writeFileSync } from "node:fs";
import { lockfilesIn } from "./lockfile/check-lockfile.ts";
import { type Lockfile, missingPlatformEntries, withPlatformEntries } from "./lockfile/platform-entries.ts";
import { readSourceTree } from "./source-tree.ts";

// Usage: node build/tools/lockfile.js
// Adds the entries that npm left out of the lockfiles because this machine does not need them.

for (const { path, text } of lockfilesIn(readSourceTree("."))) {
  const lockfile = JSON.parse(text) as Lockfile;
  const { length } = missingPlatformEntries(lockfile);
  if (length > 0) writeFileSync(path, `${JSON.stringify(withPlatformEntries(lockfile), null, 2)}\n`);
  console.log(`${length} entries added to ${path}`);
}
