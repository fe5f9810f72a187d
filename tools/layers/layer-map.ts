import { findFile, type SourceTree } from "../source-tree.ts";

/** Where code runs: `any` uses neither Node nor the DOM, so both of the others may import it. */
export type Runtime = "any" | "node" | "browser";

/** One top-level folder of a package's `src`. */
interface FolderLayer {
  /** Sibling folders that this one may import. */
  readonly imports: readonly string[];
  /** The package's own runtime by default. */
  readonly runtime?: Runtime;
}

/** The imports that a package may have. */
export interface PackageLayer {
  readonly runtime: Runtime;
  /** Workspace packages that this one may import; its `package.json` depends on exactly these. */
  readonly imports: readonly string[];
  /** Packages from outside the workspace that this one may import. */
  readonly externals: readonly string[];
  /** Whether it is published with its imports bundled, so that these may be development dependencies. */
  readonly isBundled?: boolean;
  /** Files of `src` that run elsewhere than the rest of the package. */
  readonly files?: Readonly<Record<string, Runtime>>;
  /** Every folder of `src`; omitted by a package without folders. */
  readonly folders?: Readonly<Record<string, FolderLayer>>;
}

/** The contents of `layers.json`. */
export interface LayerMap {
  readonly packages: Readonly<Record<string, PackageLayer>>;
}

/** Path of the file that declares the layers. */
export const LAYERS_FILE = "layers.json";

/** Reads the declared layers; returns none when the tree has no `layers.json`. */
export function readLayerMap(tree: SourceTree): LayerMap {
  const file = findFile(tree, LAYERS_FILE);
  return file === undefined ? { packages: {} } : (JSON.parse(file.text) as LayerMap);
}

/** Whether code that runs on `importer` may import code that needs `imported`. */
export function runtimeAllows(importer: Runtime, imported: Runtime): boolean {
  return imported === "any" || imported === importer;
}

/** Returns the first cycle in a graph of names, as the path from a name back to itself, if there is one. */
export function findCycle(edges: Readonly<Record<string, readonly string[]>>): readonly string[] | undefined {
  const finished = new Set<string>();
  const visit = (name: string, path: readonly string[]): readonly string[] | undefined => {
    if (path.includes(name)) return [...path.slice(path.indexOf(name)), name];
    if (finished.has(name)) return undefined;
    for (const next of edges[name] ?? []) {
      const cycle = visit(next, [...path, name]);
      if (cycle !== undefined) return cycle;
    }
    finished.add(name);
    return undefined;
  };
  for (const name of Object.keys(edges)) {
    const cycle = visit(name, []);
    if (cycle !== undefined) return cycle;
  }
  return undefined;
}
