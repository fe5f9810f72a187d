import { builtinModules } from "node:module";
import { posix } from "node:path";
import type { Finding } from "../finding.ts";
import { type ImportSpecifier, importSpecifiers } from "../import-specifiers.ts";
import type { SourceFile, SourceTree } from "../source-tree.ts";
import type { Architecture } from "./architecture.ts";
import { findCycle, LAYERS_FILE, type PackageLayer, type Runtime, runtimeAllows } from "./layer-map.ts";
import { packageNameOf, type WorkspacePackage } from "./workspace.ts";

/** A broken rule about one import. */
interface Complaint {
  readonly problem: string;
  readonly remedy: string;
}

/** A file of a package's `src`, with its layer. */
interface LayeredFile {
  readonly owner: WorkspacePackage;
  readonly layer: PackageLayer;
  /** The top-level folder of `src`; undefined for files directly in it. */
  readonly folder: string | undefined;
  readonly runtime: Runtime;
}

const BUILTIN_MODULES = new Set(builtinModules);

/** Finds forbidden imports in one file. */
export function checkImports(file: SourceFile, architecture: Architecture): readonly Finding[] {
  const layered = layerOf(file.path, architecture);
  return importSpecifiers(file.text).flatMap((found) =>
    complaintsAbout(found, file, layered, architecture).map((complaint) => ({
      path: file.path,
      line: found.line,
      ...complaint,
    })),
  );
}

/** Finds files that import each other, directly or through others, even if only for types. */
export function checkImportCycles(tree: SourceTree): readonly Finding[] {
  const edges: Record<string, readonly string[]> = Object.fromEntries(
    tree
      .filter(({ path }) => path.endsWith(".ts"))
      .map(({ path, text }) => [
        path,
        importSpecifiers(text)
          .filter(({ specifier }) => specifier.startsWith("."))
          .map(({ specifier }) => posix.join(posix.dirname(path), specifier)),
      ]),
  );
  const findings: Finding[] = [];
  for (let cycle = findCycle(edges); cycle !== undefined; cycle = findCycle(edges)) {
    const [path = "", next] = cycle;
    const problem = `imports itself: ${cycle.join(" -> ")}`;
    findings.push({ path, line: 0, problem, remedy: "move what both need into a file below them" });
    edges[path] = (edges[path] ?? []).filter((target) => target !== next);
  }
  return findings;
}

function complaintsAbout(
  { specifier }: ImportSpecifier,
  { path }: SourceFile,
  layered: LayeredFile | undefined,
  architecture: Architecture,
): readonly Complaint[] {
  if (specifier.startsWith(".")) {
    const target = posix.join(posix.dirname(path), specifier);
    return [
      ...leavesArea(path, specifier, target),
      ...(layered === undefined ? [] : folderRules(layered, target)),
    ];
  }
  const imported = architecture.packages.find(({ name }) => name === packageNameOf(specifier));
  if (imported === undefined) return layered === undefined ? [] : externalRules(layered, specifier);
  return [
    ...deepImport(imported, specifier),
    ...(layered === undefined ? [] : packageRules(layered, imported, specifier, architecture)),
  ];
}

/**
 * Returns the layer of a file. Tests and tools have none: they may import any public name, and relative paths in
 * their own area.
 */
export function layerOf(path: string, { layers, packages }: Architecture): LayeredFile | undefined {
  const owner = packages.find(({ folder }) => path.startsWith(`${folder}/src/`));
  const layer = owner && layers.packages[owner.name];
  if (owner === undefined || layer === undefined) return undefined;
  const [first, ...rest] = path.slice(`${owner.folder}/src/`.length).split("/");
  const folder = rest.length === 0 ? undefined : first;
  const runtime =
    (folder === undefined ? layer.files?.[first ?? ""] : undefined) ?? folderRuntime(layer, folder);
  return { owner, layer, folder, runtime };
}

function folderRuntime(layer: PackageLayer, folder: string | undefined): Runtime {
  return (folder === undefined ? undefined : layer.folders?.[folder]?.runtime) ?? layer.runtime;
}

/** The area that relative imports stay in: `packages/x/src`, `packages/x/test`, or a folder of the root. */
function leavesArea(path: string, specifier: string, target: string): readonly Complaint[] {
  const area = path.match(/^(?:packages\/[^/]+\/[^/]+|[^/]+)\//)?.[0];
  if (area === undefined || target.startsWith(area)) return []; // files in the root configure all areas
  return [
    { problem: `imports ${specifier}, outside of ${area}`, remedy: "import a public package name instead" },
  ];
}

function folderRules({ owner, layer, folder, runtime }: LayeredFile, target: string): readonly Complaint[] {
  const source = `${owner.folder}/src/`;
  if (layer.folders === undefined || !target.startsWith(source)) return [];
  const [first = "", ...rest] = target.slice(source.length).split("/");
  const targetFolder = rest.length === 0 ? undefined : first;
  if (targetFolder === folder) return [];
  const complaints: Complaint[] = [];
  if (folder !== undefined && targetFolder === undefined) {
    complaints.push({
      problem: `folder ${folder} imports ${first}, which stands above all folders`,
      remedy: "move the imported code into a folder",
    });
  } else if (folder !== undefined && !layer.folders[folder]?.imports.includes(first)) {
    complaints.push({
      problem: `folder ${folder} may not import folder ${first}`,
      remedy: `turn the dependency around, or allow it in ${LAYERS_FILE}`,
    });
  }
  return [...complaints, ...runtimeRule(runtime, folderRuntime(layer, targetFolder), `folder ${first}`)];
}

function externalRules({ layer, runtime }: LayeredFile, specifier: string): readonly Complaint[] {
  const name = packageNameOf(specifier);
  if (specifier.startsWith("node:") || BUILTIN_MODULES.has(specifier)) {
    return runtimeRule(runtime, "node", specifier);
  }
  if (layer.externals.includes(name)) return [];
  return [
    { problem: `may not import ${name}`, remedy: `do without, or add it to the externals in ${LAYERS_FILE}` },
  ];
}

function deepImport({ name, sources }: WorkspacePackage, specifier: string): readonly Complaint[] {
  if (sources.has(specifier)) return [];
  const remedy = `use one of ${[...sources.keys()].join(", ")}`;
  return [{ problem: `imports ${specifier}, which ${name} does not export`, remedy }];
}

function packageRules(
  { owner, layer, runtime }: LayeredFile,
  imported: WorkspacePackage,
  specifier: string,
  architecture: Architecture,
): readonly Complaint[] {
  if (imported.name === owner.name) {
    return [{ problem: `imports its own package as ${specifier}`, remedy: "use a relative import" }];
  }
  const direction = layer.imports.includes(imported.name)
    ? []
    : [
        {
          problem: `${owner.name} may not import ${imported.name}`,
          remedy: `turn the dependency around, or allow it in ${LAYERS_FILE}`,
        },
      ];
  const unpublished =
    specifier.endsWith("/internal") && !owner.isPrivate
      ? [{ problem: `imports ${specifier}, which is not published`, remedy: "use a public name" }]
      : [];
  const source = imported.sources.get(specifier);
  const needed = source === undefined ? undefined : layerOf(source, architecture)?.runtime;
  return [...direction, ...unpublished, ...runtimeRule(runtime, needed ?? "any", specifier)];
}

function runtimeRule(runtime: Runtime, needed: Runtime, what: string): readonly Complaint[] {
  if (runtimeAllows(runtime, needed)) return [];
  return [
    {
      problem: `code for the runtime "${runtime}" imports ${what}, which needs "${needed}"`,
      remedy: "receive it from outside, behind an interface",
    },
  ];
}
