import { execFile } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { type PackedPackage, serveRegistry } from "@orthant/testkit/packages";

const TEMPLATES = "packages/create-orthant/templates";
/** Fails for a package that does not support this version of Node, where npm only warns a user. */
const INSTALL = [
  "install",
  "--engine-strict",
  "--no-audit",
  "--no-fund",
  "--prefer-offline",
  "--loglevel=error",
];

/** Tests what `npm create orthant` makes of each template: it installs, has no wrong types, passes its tests, builds. */
export async function tryTemplates(packed: readonly PackedPackage[]): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), "orthant-created-"));
  const registry = await serveRegistry(packed);
  try {
    await Promise.all(templates().map((template) => tryTemplate(template, folder, registry.url)));
  } finally {
    registry.close();
    rmSync(folder, { recursive: true });
  }
}

async function tryTemplate(template: string, folder: string, registry: string): Promise<void> {
  const npm = (cwd: string, ...parameters: string[]): Promise<void> => run(parameters, cwd, registry);
  await npm(folder, "create", "--yes", "orthant@latest", template, "--", "--template", template);
  const project = join(folder, template);
  await npm(project, ...INSTALL);
  await npm(project, "test");
  await npm(project, "run", "build");
  console.log(`npm create makes ${template}, which passes its tests and builds`);
  if (template === "server") await tryGame(project, (...parameters) => npm(project, ...parameters));
}

const LAND = `
  import { defineGenerator } from "orthant";
  const depth: number = 3;
  export enum Ground { Stone = 1 }
  export const hills = defineGenerator({
    id: "my-game:hills",
    version: 1,
    dimensions: 3,
    open: () => (_x: number, y: number): number => (y < 0 && y > -depth ? Ground.Stone : 0),
  });
`;

/** Tests that commands find the game that a project names in its `package.json`, a module in TypeScript. */
async function tryGame(project: string, npm: (...parameters: string[]) => Promise<void>): Promise<void> {
  const file = join(project, "package.json");
  const manifest = JSON.parse(readFileSync(file, "utf8")) as object;
  writeFileSync(file, JSON.stringify({ ...manifest, orthant: { game: "./src/land.ts" } }));
  writeFileSync(join(project, "src/land.ts"), LAND);
  await npm("exec", "--", "orthant", "create", "hills", "--template", "my-game:hills");
  console.log("orthant finds the game of a project, in TypeScript");
}

async function run(parameters: readonly string[], cwd: string, registry: string): Promise<void> {
  const env = { ...process.env, npm_config_registry: registry };
  try {
    await promisify(execFile)("npm", parameters, { cwd, env });
  } catch (error) {
    const { stdout, stderr } = error as { readonly stdout: string; readonly stderr: string };
    throw new Error(`npm ${parameters.join(" ")} failed:\n${stdout}${stderr}`, { cause: error });
  }
}

/** Returns the templates: the folders with a `package.json`. The others have files that several templates share. */
function templates(): readonly string[] {
  return readdirSync(TEMPLATES).filter((name) => readdirSync(join(TEMPLATES, name)).includes("package.json"));
}
