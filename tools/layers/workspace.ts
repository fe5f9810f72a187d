import type { SourceTree } from "../source-tree.ts";

/** A package of the workspace, as its own `package.json` describes it. */
export interface WorkspacePackage {
  readonly name: string;
  /** Relative to the root of the repository, such as `packages/core`. */
  readonly folder: string;
  /** Whether it is never published. */
  readonly isPrivate: boolean;
  /** What an installation needs, whether npm adds it or the user does. */
  readonly dependencies: readonly string[];
  readonly developmentDependencies: readonly string[];
  /** The source file behind each public specifier; undefined when `exports` does not say. */
  readonly sources: ReadonlyMap<string, string | undefined>;
}

interface Manifest {
  readonly name: string;
  readonly private?: boolean;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly peerDependencies?: Readonly<Record<string, string>>;
  readonly devDependencies?: Readonly<Record<string, string>>;
  readonly exports?: Readonly<Record<string, string | Readonly<Record<string, string>>>>;
}

const MANIFEST_PATH = /^packages\/[^/]+\/package\.json$/;
const SOURCE_CONDITION = "@orthant/source";

/** Reads every package under `packages/` that has a `package.json`. */
export function readWorkspacePackages(tree: SourceTree): readonly WorkspacePackage[] {
  return tree
    .filter(({ path }) => MANIFEST_PATH.test(path))
    .map(({ path, text }) =>
      describePackage(path.slice(0, path.lastIndexOf("/")), JSON.parse(text) as Manifest),
    );
}

/** Returns the package part of a bare specifier: `@orthant/disk` of `@orthant/disk/node`. */
export function packageNameOf(specifier: string): string {
  return specifier
    .split("/")
    .slice(0, specifier.startsWith("@") ? 2 : 1)
    .join("/");
}

function describePackage(folder: string, manifest: Manifest): WorkspacePackage {
  const sources = Object.entries(manifest.exports ?? {}).map(([subpath, target]) => {
    const source = typeof target === "string" ? target : target[SOURCE_CONDITION];
    return [
      manifest.name + subpath.slice(1),
      source === undefined ? undefined : folder + source.slice(1),
    ] as const;
  });
  return {
    name: manifest.name,
    folder,
    isPrivate: manifest.private === true,
    dependencies: Object.keys({ ...manifest.dependencies, ...manifest.peerDependencies }),
    developmentDependencies: Object.keys(manifest.devDependencies ?? {}),
    sources: new Map(sources),
  };
}
