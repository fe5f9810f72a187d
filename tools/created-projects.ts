import { execFile } from "node:child_process";
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
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
