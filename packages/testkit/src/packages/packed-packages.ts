import { execFileSync } from "node:child_process";
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";

const REPOSITORY = fileURLToPath(new URL("../../../../", import.meta.url));
/** The condition under which this repository finds sources, which are not published. */
const SOURCE_CONDITION = "@orthant/source";
/** The entry point for tests of this repository. */
const INTERNAL_ENTRY = "./internal";
/** Folders of a package that are never published. */
const UNPUBLISHED: readonly string[] = ["node_modules", "src", "test"];
/** Maps lead to sources, which are not published. */
const MAP_COMMENT = /\n\/\/# sourceMappingURL=\S+\s*$/;

/** A package, as it is published. */
export interface PackedPackage {
  readonly name: string;
  readonly version: string;
  /** The contents of its `package.json`. */
  readonly manifest: Readonly<Record<string, unknown>>;
  /** Path of its archive. */
  readonly archive: string;
}

interface PackReport {
  readonly name: string;
  readonly filename: string;
}

interface Manifest {
  readonly name: string;
  readonly version: string;
  readonly private?: boolean;
  readonly devDependencies?: object;
  readonly exports?: Readonly<Record<string, Readonly<Record<string, string>>>>;
}

/**
 * Packs every package that is published, from what is built now: its files without maps, the licence, and a
 * `package.json` without what only this repository uses.
 */
export function packPackages(into: string): readonly PackedPackage[] {
  const packages = publishedPackages();
  const staging = mkdtempSync(join(tmpdir(), "orthant-staging-"));
  try {
    const folders = packages.map(({ folder, manifest }) => {
      const staged = join(staging, folder);
      // npm takes from this what the package publishes.
      for (const path of filesIn(join(REPOSITORY, "packages", folder))) {
        copyFile(join(REPOSITORY, "packages", folder, path), join(staged, path));
      }
      cpSync(join(REPOSITORY, "LICENSE"), join(staged, "LICENSE"));
      const published = publishedManifest(manifest);
      writeFileSync(join(staged, "package.json"), `${JSON.stringify(published, undefined, 2)}\n`);
      return { staged, published };
    });
    const packed = pack(["--pack-destination", into, ...folders.map(({ staged }) => staged)]);
    return folders.map(({ published }) => {
      const { name, version } = published;
      return {
        name,
        version,
        manifest: { ...published },
        archive: join(into, reportOf(packed, name).filename),
      };
    });
  } finally {
    rmSync(staging, { recursive: true });
  }
}

/** Returns a `package.json` without the entry point, the condition and the dependencies that only this repository uses. */
function publishedManifest({ devDependencies: _unused, exports, ...published }: Manifest): Manifest {
  if (exports === undefined) return published;
  const entries = Object.entries(exports)
    .filter(([entry]) => entry !== INTERNAL_ENTRY)
    .map(([entry, { [SOURCE_CONDITION]: _source, ...conditions }]) => [entry, conditions]);
  return { ...published, exports: Object.fromEntries(entries) };
}

/** Returns the paths of all files that a package may publish: all but its sources and tests, and what npm installs. */
function filesIn(folder: string): readonly string[] {
  return readdirSync(folder, { withFileTypes: true })
    .filter(({ name }) => !UNPUBLISHED.includes(name))
    .flatMap((entry) => {
      if (!entry.isDirectory()) return [entry.name];
      const below = readdirSync(join(folder, entry.name), { recursive: true, withFileTypes: true });
      return below
        .filter((each) => each.isFile())
        .map(({ parentPath, name }) => relative(folder, join(parentPath, name)));
    });
}

function copyFile(from: string, to: string): void {
  if (from.endsWith(".map")) return;
  mkdirSync(dirname(to), { recursive: true });
  if (/\.(?:js|d\.ts)$/.test(from)) writeFileSync(to, readFileSync(from, "utf8").replace(MAP_COMMENT, "\n"));
  else cpSync(from, to);
}

function pack(options: readonly string[]): readonly PackReport[] {
  const output = execFileSync("npm", ["pack", "--json", ...options], {
    cwd: REPOSITORY,
    encoding: "utf8",
    stdio: ["ignore", "pipe", "ignore"],
  });
  return JSON.parse(output) as readonly PackReport[];
}

function reportOf(reports: readonly PackReport[], name: string): PackReport {
  const report = reports.find((packed) => packed.name === name);
  if (report === undefined) throw new Error(`npm did not pack ${name}`);
  return report;
}

function publishedPackages(): readonly { readonly folder: string; readonly manifest: Manifest }[] {
  const packages = join(REPOSITORY, "packages");
  return readdirSync(packages)
    .filter((folder) => existsSync(join(packages, folder, "package.json")))
    .map((folder) => ({
      folder,
      manifest: JSON.parse(readFileSync(join(packages, folder, "package.json"), "utf8")) as Manifest,
    }))
    .filter(({ manifest }) => manifest.private !== true);
}
