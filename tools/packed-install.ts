import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { cpSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { type PackedPackage, packPackages } from "@orthant/testkit/packages";
import { tryTemplates } from "./created-projects.ts";
import { runnablePage } from "./documents/runnable-blocks.ts";
import { COMPILERS, tryTypes } from "./packed-types.ts";

// Usage: node build/tools/packed-install.js
// Packs every package as it would be published, installs `orthant` from that into an empty project and tests it
// there: what the archives have, the command, the example of the README and its types, the types of every entry point, the
// starters, and what `npm create orthant` makes. Needs `npm ci --prefix tools/published`. No other test finds files missing from a package.

/** Types of what our own types refer to, which a user of TypeScript installs. */
const TYPES = [
  ["@types/node", "20"],
  ["@types/three", "0.187.0"],
] as const;
const COMPILER = resolve("node_modules/typescript/bin/tsc");
const COMPILER_OPTIONS = "--noEmit --strict --module nodenext --target es2022 --types node example.ts".split(
  " ",
);

interface Manifest {
  readonly scripts?: Readonly<Record<string, string>>;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly devDependencies?: Readonly<Record<string, string>>;
}

const project = mkdtempSync(join(tmpdir(), "orthant-packed-"));
try {
  const packed = packPackages(project);
  process.stdout.write(run(process.execPath, ["tools/published/check-published.mjs", project], "."));
  tryOut(project, packed);
  tryTypes(project, packed, run);
  await tryServing(project);
  for (const starter of starters()) tryStarter(starter, project, packed);
  await tryTemplates(packed);
} finally {
  rmSync(project, { recursive: true });
}

function tryOut(folder: string, packed: readonly PackedPackage[]): void {
  const ours = packed.map(({ name, archive }) => [name, `file:${archive}`] as const);
  const tools = starters().flatMap(({ manifest }) => Object.entries(manifest.devDependencies ?? {}));
  const dependencies = Object.fromEntries([...ours, ...tools, ...TYPES, ...COMPILERS]);
  writeFileSync(
    join(folder, "package.json"),
    JSON.stringify({ type: "module", private: true, dependencies }),
  );
  // Fails for a package that does not support this version of Node, where npm only warns a user.
  run("npm", ["install", "--engine-strict", "--no-audit", "--no-fund", "--loglevel=error"], folder);
  console.log(
    `orthant ${run("npx", ["orthant", "--version"], folder).trim()} from ${packed.length} packed packages`,
  );

  const page = runnablePage(readFileSync("README.md", "utf8"));
  if (page === undefined) throw new Error("README.md has nothing to run");
  writeFileSync(join(folder, "example.ts"), page.module);
  run(process.execPath, [COMPILER, ...COMPILER_OPTIONS], folder);
  console.log("the README's example has the types that it needs");
  const emitted = COMPILER_OPTIONS.filter((option) => option !== "--noEmit");
  run(process.execPath, [COMPILER, ...emitted], folder);
  run(process.execPath, ["example.js"], folder);
  console.log("the README's example runs");
}

/** Tests what a visitor gets from an installed command: the page, and everything that it references. */
async function tryServing(folder: string): Promise<void> {
  run("npx", ["orthant", "create", "served", "--template", "platforms"], folder);
  const served = spawn(
    process.execPath,
    ["node_modules/orthant/bin/orthant.js", "serve", "served", "--port", "0", "--json"],
    {
      cwd: folder,
      stdio: ["ignore", "pipe", "inherit"],
    },
  );
  try {
    const [said] = (await once(served.stdout, "data")) as [Buffer];
    const { page } = JSON.parse(said.toString()) as { readonly page: string };
    const html = await (await fetch(page)).text();
    const named = [...html.matchAll(/(?:src|href)="\.\/(?<path>[^"]+)"/g)].map(
      ({ groups }) => groups?.["path"] ?? "",
    );
    for (const path of named) {
      const { ok, status } = await fetch(new URL(path, page));
      if (!ok) throw new Error(`${path} of the page: ${status}`);
    }
    console.log(`orthant serve serves the page and ${named.length} files that it names`);
  } finally {
    served.kill("SIGINT");
    await once(served, "exit");
  }
}

/** Tests a copied starter: its dependencies are there, and its page builds, or its tool works. */
function tryStarter({ name, manifest }: Starter, folder: string, packed: readonly PackedPackage[]): void {
  const published = new Map(packed.map((known) => [known.name, known.version]));
  for (const [dependency, version] of Object.entries(manifest.dependencies ?? {})) {
    if (published.get(dependency) !== version) throw new Error(`${name} wants ${dependency} ${version}`);
  }
  const copy = join(folder, name);
  cpSync(resolve("examples", name), copy, { recursive: true });
  if (manifest.scripts?.["build"] !== undefined) {
    run("npm", ["run", "build"], copy);
    console.log(`the page of ${name} is built`);
  } else if (manifest.scripts?.["replace"] === undefined) {
    const program = 'import("./land.mjs").then(({ hills }) => console.log(hills.generator.id))';
    const said = run(process.execPath, ["--eval", program], copy);
    if (said.trim() !== "survival:hills") throw new Error(`${name} said ${said}`);
    console.log(`${name} finds its packages`);
  } else {
    // Grass grows in the world of this seed.
    run("npx", ["orthant", "create", "land", "--template", "terrain", "--seed", "7"], copy);
    const said = run(process.execPath, ["replace.mjs", "land", "grass", "snow", "0,-64,0", "9,128,9"], copy);
    if (!/^[1-9]\d* voxels of grass/.test(said)) throw new Error(`${name} said ${said}`);
    console.log(`${name} edits a world`);
  }
}

interface Starter {
  readonly name: string;
  readonly manifest: Manifest;
}

/** Returns the folders of examples that are meant to be copied. */
function starters(): readonly Starter[] {
  return readdirSync("examples")
    .filter((name) => existsSync(join("examples", name, "package.json")))
    .map((name) => ({ name, manifest: manifestOf(resolve("examples", name)) }));
}

function manifestOf(folder: string): Manifest {
  return JSON.parse(readFileSync(join(folder, "package.json"), "utf8")) as Manifest;
}

function run(command: string, parameters: readonly string[], cwd: string): string {
  try {
    return execFileSync(command, parameters, { cwd, encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] });
  } catch (error) {
    const { stdout, stderr } = error as { readonly stdout: string; readonly stderr: string };
    throw new Error(`${command} ${parameters.join(" ")} failed:\n${stdout}${stderr}`, { cause: error });
  }
}
