import { readFileSync, statSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, isAbsolute, join, relative, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { generatorIn } from "@orthant/core/generate";
import type { GameGenerator } from "../command/game-generators.ts";
import { UsageError } from "../command/usage.ts";

/** Exports that an error message lists. */
const EXPORTS_LISTED_MAX = 8;

/**
 * Loads the generators that a module exports: each export that is one or has one as `generator`, and all in an
 * exported list. `name` is a file, relative to `folder`, or a package that is installed there.
 */
export async function loadGenerators(name: string, folder: string): Promise<readonly GameGenerator[]> {
  const exported = await naming("--generators", () => importModule(name, folder));
  const found = generatorsIn(exported, name);
  if (found.length > 0) return found;
  throw new UsageError(
    `--generators: "${name}" exports no generator, only ${listOf(Object.keys(exported).sort())}; export what defineGenerator returns`,
  );
}

function generatorsIn(exported: Readonly<Record<string, unknown>>, name: string): readonly GameGenerator[] {
  return Object.values(exported)
    .flatMap((value: unknown) => (Array.isArray(value) ? (value as readonly unknown[]) : [value]))
    .flatMap((value) => {
      const generator = generatorIn(value);
      return generator === undefined ? [] : [{ generator, source: value as object, from: `"${name}"` }];
    });
}

/** The module of a game that a project names, the folder of the project, and the file that says it. */
interface ProjectGame {
  readonly module: string;
  readonly folder: string;
  readonly manifest: string;
}

/**
 * Loads the generators of the module that the nearest package.json names: `{ "orthant": { "game": "./src/game.ts" } }`. It may
 * export none. If it cannot be loaded, `report` gets the reason, because most commands need no generator.
 */
export async function loadProjectGenerators(
  folder: string,
  report: (problem: string) => void,
): Promise<readonly GameGenerator[]> {
  try {
    const game = projectGame(folder);
    if (game === undefined) return [];
    const { module } = game;
    const place = `${relative(folder, game.manifest)}, orthant.game`;
    return generatorsIn(await naming(place, () => importModule(module, game.folder)), module);
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    report(`${error.message}; the generators of the game are left out`);
    return [];
  }
}

function projectGame(folder: string): ProjectGame | undefined {
  for (let at = resolve(folder); ; at = dirname(at)) {
    const file = join(at, "package.json");
    const manifest = readManifest(file);
    const { game } = Object(manifest?.orthant) as { readonly game?: unknown };
    if (typeof game === "string") return { module: game, folder: at, manifest: file };
    if (manifest !== undefined || at === dirname(at)) return undefined;
  }
}

function listOf(names: readonly string[]): string {
  if (names.length === 0) return "nothing";
  const shown = names.slice(0, EXPORTS_LISTED_MAX).join(", ");
  return names.length > EXPORTS_LISTED_MAX ? `${shown} and ${names.length - EXPORTS_LISTED_MAX} more` : shown;
}

/** Puts the place that names a module before the errors about it. */
async function naming<Value>(place: string, load: () => Promise<Value>): Promise<Value> {
  try {
    return await load();
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    throw new UsageError(`${place}: ${error.message}`, { cause: error });
  }
}

async function importModule(name: string, folder: string): Promise<Readonly<Record<string, unknown>>> {
  try {
    return await importAnyScript(moduleUrl(name, folder), folder);
  } catch (error) {
    if (error instanceof UsageError) throw error;
    const [message = ""] = (error instanceof Error ? `${error.name}: ${error.message}` : String(error)).split(
      "\n",
    );
    throw new UsageError(`"${name}" could not be loaded: ${message}`, { cause: error });
  }
}

/** Errors of a Node that reads no TypeScript, or not all of it. */
const UNREAD_SCRIPTS: ReadonlySet<unknown> = new Set([
  "ERR_UNKNOWN_FILE_EXTENSION",
  "ERR_UNSUPPORTED_TYPESCRIPT_SYNTAX",
]);

/** Imports a module of a game, which may be in TypeScript: with the tsx that is installed in its project, where Node needs it. */
async function importAnyScript(url: string, folder: string): Promise<Readonly<Record<string, unknown>>> {
  try {
    return (await import(url)) as Readonly<Record<string, unknown>>;
  } catch (error) {
    const { code } = Object(error) as { readonly code?: unknown };
    if (!UNREAD_SCRIPTS.has(code)) throw error;
    const loader = packageFile("tsx/esm/api", folder);
    if (loader === undefined)
      throw new UsageError(
        `Node ${process.version} cannot read this TypeScript: run npm install --save-dev tsx in the project, or use Node 24`,
        { cause: error },
      );
    const { register } = (await import(pathToFileURL(loader).href)) as { readonly register: () => void };
    register();
    return (await import(`${url}?tsx`)) as Readonly<Record<string, unknown>>;
  }
}

/** Returns the address of a file or of an installed package. */
function moduleUrl(name: string, folder: string): string {
  const path = resolve(folder, name);
  const found = statSync(path, { throwIfNoEntry: false });
  if (found?.isFile() === true) return pathToFileURL(path).href;
  if (found?.isDirectory() === true)
    throw new UsageError(`"${name}" is a folder, where a file or a package is wanted`);
  if (isAbsolute(name) || name.startsWith(".") || name === "")
    throw new UsageError(`there is no file "${name}"; check how it is spelled`);
  const file = packageFile(name, folder);
  if (file !== undefined) return pathToFileURL(file).href;
  throw new UsageError(`there is neither a file nor an installed package "${name}"; check how it is spelled`);
}

/** Returns the file that an installed package has for `import`; `undefined` if there is none. */
function packageFile(name: string, folder: string): string | undefined {
  const require = createRequire(resolve(folder, "package.json"));
  const [, packageName = "", rest = ""] =
    /^(?<package>@[^/]+\/[^/]+|[^/@][^/]*)(?<rest>\/.+)?$/.exec(name) ?? [];
  for (const modules of require.resolve.paths(name) ?? []) {
    const found = packageName === "" ? undefined : readManifest(join(modules, packageName, "package.json"));
    const target = found && exportedFile(found.exports, `.${rest}`);
    if (target !== undefined) return join(modules, packageName, target);
  }
  // Packages without `exports` have their main file, and files by their paths.
  try {
    return require.resolve(name);
  } catch {
    return undefined;
  }
}

/** What a package says of itself. */
interface Manifest {
  readonly exports?: unknown;
  readonly orthant?: unknown;
}

function readManifest(file: string): Manifest | undefined {
  if (statSync(file, { throwIfNoEntry: false }) === undefined) return undefined;
  try {
    return Object(JSON.parse(readFileSync(file, "utf8"))) as Manifest;
  } catch (error) {
    throw new UsageError(`${file} is not JSON`, { cause: error });
  }
}

const CONDITIONS: readonly string[] = ["node", "import", "module-sync", "default"];

/** Node resolves a package for `import` only relative to the importing file, and that is not the user's. */
function exportedFile(exported: unknown, path: string): string | undefined {
  if (typeof exported === "string") return path === "." ? exported : undefined;
  if (typeof exported !== "object" || exported === null) return undefined;
  const entries = Object.entries(exported);
  const isOfPaths = entries.some(([key]) => key.startsWith("."));
  const wanted = isOfPaths ? entries.filter(([key]) => key === path) : entries;
  for (const [key, target] of wanted) {
    if (!isOfPaths && !CONDITIONS.includes(key)) continue;
    const file = exportedFile(target, isOfPaths ? "." : path);
    if (file !== undefined) return file;
  }
  return undefined;
}
