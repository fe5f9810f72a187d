import { expect, test } from "vitest";
import { checkLayers } from "../layers/check-layers.ts";
import { checkImportCycles } from "../layers/import-rules.ts";
import { checkNames } from "../layers/name-rules.ts";
import { type SourceTree, sourceFile } from "../source-tree.ts";

/** Two layers, of which the upper one has a part for Node, and a tool package above them. */
const LAYERS = {
  packages: {
    "@made-up/low": {
      runtime: "any",
      imports: [],
      externals: [],
      folders: { ground: { imports: [] }, wall: { imports: ["ground"] } },
    },
    "@made-up/high": {
      runtime: "any",
      imports: ["@made-up/low"],
      externals: [],
      folders: { port: { imports: [] }, node: { imports: ["port"], runtime: "node" } },
    },
    "@made-up/kit": {
      runtime: "node",
      imports: ["@made-up/low", "@made-up/high"],
      externals: ["vitest"],
    },
  },
};

const TREE: Readonly<Record<string, string>> = {
  "layers.json": JSON.stringify(LAYERS),
  "packages/low/package.json": manifest(
    "@made-up/low",
    { ".": "./src/index.ts", "./internal": "./src/internal.ts" },
    [],
  ),
  "packages/low/src/index.ts": 'export { wall } from "./wall/wall.ts";',
  "packages/low/src/ground/ground.ts": "export const ground = 1;",
  "packages/low/src/ground/other.ts": 'export type { ground } from "./ground.ts";',
  "packages/low/src/wall/wall.ts": 'export { ground as wall } from "../ground/ground.ts";',
  "packages/low/test/wall.test.ts": 'import "@made-up/low"; import "@made-up/kit"; import "./bricks.ts";',
  "packages/high/package.json": manifest(
    "@made-up/high",
    { ".": "./src/index.ts", "./node": "./src/node/index.ts" },
    ["@made-up/low"],
  ),
  "packages/high/src/index.ts": 'import "./port/port.ts";',
  "packages/high/src/port/port.ts": 'import "@made-up/low";',
  "packages/high/src/node/index.ts": 'import "node:fs"; import "../port/port.ts";',
  "packages/kit/package.json": manifest("@made-up/kit", { ".": "./src/index.ts" }, [
    "@made-up/low",
    "@made-up/high",
    "vitest",
  ]),
  "packages/kit/src/index.ts": 'import "@made-up/high/node"; import "vitest"; import "node:os";',
  "golden/main.ts": 'import "@made-up/high"; import "./files.ts"; import "node:fs";',
  "vitest.config.ts": 'import "./golden/reporter.ts";',
};

test("the layer check accepts a tree that keeps to its layers", () => {
  expect(problemsWith({})).toEqual([]);
});

test.each<[what: string, path: string, text: string, problem: string]>([
  [
    "a package that imports upwards",
    "packages/low/src/wall/up.ts",
    'import "@made-up/high";',
    "@made-up/low may not import @made-up/high",
  ],
  [
    "a folder that imports upwards",
    "packages/low/src/ground/up.ts",
    'import "../wall/wall.ts";',
    "folder ground may not import folder wall",
  ],
  [
    "a folder that imports the index above it",
    "packages/low/src/ground/up.ts",
    'import "../index.ts";',
    "folder ground imports index.ts, which stands above all folders",
  ],
  [
    "a name that the package does not export",
    "golden/deep.ts",
    'import "@made-up/low/src/wall/wall.ts";',
    "imports @made-up/low/src/wall/wall.ts, which @made-up/low does not export",
  ],
  [
    "a source file that climbs out of src",
    "packages/kit/src/climb.ts",
    'import "../test/bricks.ts";',
    "imports ../test/bricks.ts, outside of packages/kit/src/",
  ],
  [
    "a source file that climbs into another package",
    "packages/kit/src/climb.ts",
    'import "../../low/src/index.ts";',
    "imports ../../low/src/index.ts, outside of packages/kit/src/",
  ],
  [
    "a test that reaches into src",
    "packages/low/test/reach.test.ts",
    'import "../src/wall/wall.ts";',
    "imports ../src/wall/wall.ts, outside of packages/low/test/",
  ],
  [
    "a tool that reaches into another area",
    "tools/reach.ts",
    'import "../golden/main.ts";',
    "imports ../golden/main.ts, outside of tools/",
  ],
  [
    "a node: import in code for any runtime",
    "packages/low/src/wall/files.ts",
    'import "node:fs/promises";',
    'code for the runtime "any" imports node:fs/promises, which needs "node"',
  ],
  [
    "a builtin module without its prefix in code for any runtime",
    "packages/low/src/wall/files.ts",
    'import "fs/promises";',
    'code for the runtime "any" imports fs/promises, which needs "node"',
  ],
  [
    "an index for any runtime that imports a folder for Node",
    "packages/high/src/index.ts",
    'import "./node/index.ts";',
    'code for the runtime "any" imports folder node, which needs "node"',
  ],
  [
    "a published package that imports the internals of another",
    "packages/high/src/port/inside.ts",
    'import "@made-up/low/internal";',
    "imports @made-up/low/internal, which is not published",
  ],
  [
    "a package from outside that is not listed",
    "packages/low/src/wall/big.ts",
    'import "lodash/fp";',
    "may not import lodash",
  ],
  [
    "a package that imports itself by name",
    "packages/low/src/wall/self.ts",
    'import "@made-up/low";',
    "imports its own package as @made-up/low",
  ],
  [
    "a folder of src that is not listed",
    "packages/low/src/attic/attic.ts",
    "export const attic = 1;",
    "packages/low/src/attic is not listed in the folders of @made-up/low",
  ],
  [
    "a folder of a package without rules for folders",
    "packages/kit/src/attic/attic.ts",
    "export const attic = 1;",
    "packages/kit/src/attic is not listed in the folders of @made-up/kit",
  ],
  [
    "a package that is not listed",
    "packages/new/package.json",
    manifest("@made-up/new", {}, []),
    "@made-up/new in packages/new is not listed",
  ],
  ["a folder without a package", "packages/odd/readme.md", "", "packages/odd has no package.json"],
  [
    "a dependency that the layers do not allow",
    "packages/low/package.json",
    manifest("@made-up/low", { ".": "./src/index.ts" }, ["@made-up/high"]),
    "depends on @made-up/high, which layers.json does not allow",
  ],
  [
    "a dependency that is not declared",
    "packages/high/package.json",
    manifest("@made-up/high", { ".": "./src/index.ts", "./node": "./src/node/index.ts" }, []),
    "does not depend on @made-up/low, which layers.json lists",
  ],
])("the layer check rejects %s", (_what, path, text, problem) => {
  expect(problemsWith({ [path]: text })).toEqual([problem]);
});

test("the layer check rejects a runtime that an exported subpath needs but the importing package lacks", () => {
  const problem = 'code for the runtime "any" imports @made-up/high/node, which needs "node"';
  const layers = structuredClone(LAYERS);
  layers.packages["@made-up/kit"].runtime = "any";
  const changes = {
    "layers.json": JSON.stringify(layers),
    "packages/kit/src/index.ts": 'import "@made-up/high/node";',
  };
  expect(problemsWith(changes)).toEqual([problem]);
});

test("the layer check rejects a listed package and a listed folder that do not exist", () => {
  const folders = { ground: { imports: [] }, wall: { imports: ["ground"] }, moat: { imports: [] } };
  const packages = {
    ...LAYERS.packages,
    "@made-up/low": { ...LAYERS.packages["@made-up/low"], folders },
    "@made-up/gone": { runtime: "any", imports: [], externals: [] },
  };
  expect(problemsWith({ "layers.json": JSON.stringify({ packages }) })).toEqual([
    "@made-up/gone is listed but has no folder under packages/",
    "@made-up/low lists the folder moat, but packages/low/src/moat is absent",
  ]);
});

test("the layer check rejects cycles between packages and between folders in the map itself", () => {
  const layers = structuredClone(LAYERS);
  const low = { ...layers.packages["@made-up/low"], imports: ["@made-up/high"] };
  const folders = { ground: { imports: ["wall"] }, wall: { imports: ["ground"] } };
  const packages = { ...layers.packages, "@made-up/low": { ...low, folders } };
  const dependingLow = manifest("@made-up/low", { ".": "./src/index.ts" }, ["@made-up/high"]);
  const changes = { "layers.json": JSON.stringify({ packages }), "packages/low/package.json": dependingLow };
  expect(problemsWith(changes)).toEqual([
    "the packages form a cycle: @made-up/low -> @made-up/high -> @made-up/low",
    "the folders of @made-up/low form a cycle: ground -> wall -> ground",
  ]);
});

test("the layer check reports the file and the line of a forbidden import", () => {
  const path = "packages/low/src/wall/files.ts";
  const findings = checkLayers(treeWith({ [path]: '// why\nimport "node:fs";\n' }));
  expect(findings).toMatchObject([{ path, line: 2 }]);
});

test("the cycle check rejects files that import each other, even for types only", () => {
  const path = "packages/low/src/ground/ground.ts";
  const other = "packages/low/src/ground/other.ts";
  const changes = { [path]: 'import type { Other } from "./other.ts";' };
  expect(checkImportCycles(treeWith({}))).toEqual([]);
  expect(checkImportCycles(treeWith(changes))).toMatchObject([
    { path, problem: `imports itself: ${path} -> ${other} -> ${path}` },
  ]);
});

test("the name check rejects a name that two files export with their own meanings", () => {
  const changes = {
    "packages/low/src/wall/wall.ts": 'export { ground as floor } from "../ground/ground.ts";',
    "packages/high/src/port/port.ts": "export interface floor {}",
  };
  expect(checkNames(treeWith(changes)).map(({ problem }) => problem)).toEqual([
    "exports floor, which packages/low/src/wall/wall.ts:1 exports with another meaning",
  ]);
});

test("the name check accepts a name that is passed on, and variants of it for different runtimes", () => {
  const changes = {
    "packages/high/src/index.ts": 'export { ground } from "@made-up/low";',
    "packages/high/src/port/port.ts": "export function open() {}",
    "packages/high/src/node/index.ts": "export function open() {}",
  };
  expect(checkNames(treeWith(changes))).toEqual([]);
});

function problemsWith(changes: Readonly<Record<string, string>>): readonly string[] {
  return checkLayers(treeWith(changes)).map(({ problem }) => problem);
}

function treeWith(changes: Readonly<Record<string, string>>): SourceTree {
  return Object.entries({ ...TREE, ...changes }).map(([path, text]) => sourceFile(path, text));
}

function manifest(
  name: string,
  sources: Readonly<Record<string, string>>,
  dependencies: readonly string[],
): string {
  const exports = Object.entries(sources).map(([subpath, source]) => [
    subpath,
    { "@orthant/source": source },
  ]);
  return JSON.stringify({
    name,
    exports: Object.fromEntries(exports),
    dependencies: Object.fromEntries(dependencies.map((dependency) => [dependency, "1.0.0"])),
  });
}
