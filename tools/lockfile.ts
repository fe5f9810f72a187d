import { readFileSync, writeFileSync } from "node:fs";
import { LOCKFILE_PATH } from "./lockfile/check-lockfile.ts";
import { type Lockfile, missingPlatformEntries, withPlatformEntries } from "./lockfile/platform-entries.ts";

// Usage: node build/tools/lockfile.js
// Adds the entries that npm left out of the lockfile because this machine does not need them.

const lockfile = JSON.parse(readFileSync(LOCKFILE_PATH, "utf8")) as Lockfile;
writeFileSync(LOCKFILE_PATH, `${JSON.stringify(withPlatformEntries(lockfile), null, 2)}\n`);
console.log(`${missingPlatformEntries(lockfile).length} entries added to ${LOCKFILE_PATH}`);
