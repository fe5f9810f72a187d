import { execFileSync } from "node:child_process";
import { mkdirSync, rmSync } from "node:fs";
import { resolve } from "node:path";
import { packPackages } from "@orthant/testkit/packages";

// Usage: node build/tools/packages.js
// Packs every package into build/tarballs, as it is published, and checks the archives.

const FOLDER = "build/tarballs";

rmSync(FOLDER, { recursive: true, force: true });
mkdirSync(FOLDER, { recursive: true });
packPackages(resolve(FOLDER));
execFileSync(process.execPath, ["tools/published/check-published.mjs", FOLDER], { stdio: "inherit" });
