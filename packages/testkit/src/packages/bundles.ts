import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const PACKAGES = fileURLToPath(new URL("../../../../packages/", import.meta.url));
/** The compiler writes this file last, whenever it compiles a package. */
const COMPILED = /\.tsbuildinfo$/;

/** The modules of a package that Node loads, joined into few files. */
export interface Bundle {
  /** Path of the package. */
  readonly folder: string;
  /** By the path of each file that Node loads, the compiled module that it is made of; both below `folder`. */
  readonly entries: ReadonlyMap<string, string>;
}

interface Manifest {
  readonly exports?: Readonly<Record<string, Readonly<Record<string, string>>>>;
}

/** Returns the bundles that are missing, or older than the modules they are made of. */
export function outdatedBundles(): readonly Bundle[] {
  return readdirSync(PACKAGES)
    .map((name) => join(PACKAGES, name))
    .filter((folder) => existsSync(join(folder, "package.json")))
    .map((folder) => ({ folder, entries: entriesOf(folder) }))
    .filter(isOutdated);
}

/** Throws when a program of this repository would run code that is missing, or older than its compiled modules. */
export function requireBundles(): void {
  const [first] = outdatedBundles();
  if (first === undefined) return;
  const state = existsSync(join(first.folder, "dist"))
    ? "compiled, but not bundled for Node"
    : "not compiled";
  throw new Error(`${first.folder}: ${state}: npm run build`);
}

function entriesOf(folder: string): ReadonlyMap<string, string> {
  const { exports = {} } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8")) as Manifest;
  const entries = new Map<string, string>();
  for (const { node, default: compiled } of Object.values(exports)) {
    if (node !== undefined && compiled !== undefined) entries.set(node, compiled);
  }
  return entries;
}

function isOutdated({ folder, entries }: Bundle): boolean {
  const built = [...entries.keys()].map((path) => changedMs(join(folder, path)));
  if (built.length === 0) return false;
  const dist = join(folder, "dist");
  const compiled = existsSync(dist) ? readdirSync(dist).filter((name) => COMPILED.test(name)) : [];
  const sources = [...compiled.map((name) => join(dist, name)), join(folder, "package.json")];
  return Math.min(...built) < Math.max(...sources.map(changedMs));
}

function changedMs(path: string): number {
  return existsSync(path) ? statSync(path).mtimeMs : 0;
}
