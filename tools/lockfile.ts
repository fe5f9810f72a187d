import { readFileSync, writeFileSync } from "node:fs";
import { formatFinding } from "./finding.ts";
import { checkLockfile, LOCKFILE_PATH } from "./lockfile/check-lockfile.ts";
import { type Lockfile, missingPlatformEntries, withPlatformEntries } from "./lockfile/platform-entries.ts";
import { sourceFile } from "./source-tree.ts";

// Usage: node build/tools/lockfile.js [--write]

const text = readFileSync(LOCKFILE_PATH, "utf8");

if (process.argv.includes("--write")) {
  const lockfile = JSON.parse(text) as Lockfile;
  writeFileSync(LOCKFILE_PATH, `${JSON.stringify(withPlatformEntries(lockfile), null, 2)}\n`);
  console.log(`${missingPlatformEntries(lockfile).length} entries added to ${LOCKFILE_PATH}`);
} else {
  const findings = checkLockfile([sourceFile(LOCKFILE_PATH, text)]);
  for (const finding of findings) console.error(formatFinding(finding));
  process.exitCode = findings.length === 0 ? 0 : 1;
}
