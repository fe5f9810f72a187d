import type { Finding } from "../finding.ts";
import type { SourceTree } from "../source-tree.ts";
import type { Architecture } from "./architecture.ts";
import { findCycle, LAYERS_FILE, type LayerMap, type PackageLayer } from "./layer-map.ts";
import type { WorkspacePackage } from "./workspace.ts";

/** Finds errors in `layers.json` itself, and differences from the folders and manifests on disk. */
export function checkDeclarations(tree: SourceTree, architecture: Architecture): readonly Finding[] {
  const { layers, packages } = architecture;
  return [
    ...checkListed(tree, architecture),
    ...checkCycles(layers),
    ...packages.flatMap((workspacePackage) => {
      const layer = layers.packages[workspacePackage.name];
      if (layer === undefined) return [];
      return [...checkDependencies(workspacePackage, layer), ...checkFolders(tree, workspacePackage, layer)];
    }),
  ];
}

function checkListed(tree: SourceTree, { layers, packages }: Architecture): readonly Finding[] {
  const folders = new Set(tree.flatMap(({ path }) => path.match(/^packages\/[^/]+(?=\/)/)?.[0] ?? []));
  const nameless = [...folders]
    .filter((folder) => packages.every((known) => known.folder !== folder))
    .map((folder) => layersFinding(`${folder} has no package.json`, "add one, or remove the folder"));
  const unlisted = packages
    .filter(({ name }) => layers.packages[name] === undefined)
    .map(({ name, folder }) => layersFinding(`${name} in ${folder} is not listed`, "give it a layer"));
  const absent = Object.keys(layers.packages)
    .filter((name) => packages.every((known) => known.name !== name))
    .map((name) => layersFinding(`${name} is listed but has no folder under packages/`, "remove it"));
  return [...nameless, ...unlisted, ...absent];
}

function checkCycles({ packages }: LayerMap): readonly Finding[] {
  const cycle = findCycle(importsOf(packages));
  const between = cycle === undefined ? [] : [cycleFinding("packages", cycle)];
  const inside = Object.entries(packages).flatMap(([name, { folders }]) => {
    const folderCycle = findCycle(importsOf(folders ?? {}));
    return folderCycle === undefined ? [] : [cycleFinding(`folders of ${name}`, folderCycle)];
  });
  return [...between, ...inside];
}

function checkDependencies(
  { folder, dependencies: published, developmentDependencies }: WorkspacePackage,
  layer: PackageLayer,
): readonly Finding[] {
  const dependencies = layer.isBundled === true ? [...published, ...developmentDependencies] : published;
  const path = `${folder}/package.json`;
  const allowed = [...layer.imports, ...layer.externals];
  const extra = dependencies
    .filter((name) => !allowed.includes(name))
    .map((name) => ({
      path,
      line: 0,
      problem: `depends on ${name}, which ${LAYERS_FILE} does not allow`,
      remedy: "remove the dependency, or allow it there",
    }));
  const lacking = allowed
    .filter((name) => !dependencies.includes(name))
    .map((name) => ({
      path,
      line: 0,
      problem: `does not depend on ${name}, which ${LAYERS_FILE} lists`,
      remedy: "add the dependency, or remove it there",
    }));
  return [...extra, ...lacking];
}

function checkFolders(
  tree: SourceTree,
  { name, folder }: WorkspacePackage,
  { folders }: PackageLayer,
): readonly Finding[] {
  const rules = folders ?? {};
  const listed = Object.keys(rules);
  const source = `${folder}/src/`;
  const existing = new Set(
    tree
      .filter(({ path }) => path.startsWith(source) && path.slice(source.length).includes("/"))
      .map(({ path }) => path.slice(source.length).split("/")[0] ?? ""),
  );
  const unlisted = [...existing]
    .filter((child) => !listed.includes(child))
    .map((child) =>
      layersFinding(`${source}${child} is not listed in the folders of ${name}`, "give it a layer"),
    );
  const mentioned = [...listed, ...Object.values(rules).flatMap(({ imports }) => imports)];
  const absent = [...new Set(mentioned)]
    .filter((child) => !existing.has(child))
    .map((child) =>
      layersFinding(`${name} lists the folder ${child}, but ${source}${child} is absent`, "remove it"),
    );
  return [...unlisted, ...absent];
}

function importsOf(
  layers: Readonly<Record<string, { readonly imports: readonly string[] }>>,
): Record<string, readonly string[]> {
  return Object.fromEntries(Object.entries(layers).map(([name, { imports }]) => [name, imports]));
}

function cycleFinding(what: string, cycle: readonly string[]): Finding {
  return layersFinding(`the ${what} form a cycle: ${cycle.join(" -> ")}`, "remove one of its imports");
}

function layersFinding(problem: string, remedy: string): Finding {
  return { path: LAYERS_FILE, line: 0, problem, remedy };
}
