import { cp, mkdir, readdir, readFile, rename, writeFile } from "node:fs/promises";
import { basename, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { TEMPLATES, type TemplateName } from "./templates.ts";
import { WrongInput } from "./wrong-input.ts";

const TEMPLATES_FOLDER = fileURLToPath(new URL("../templates/", import.meta.url));
/** npm leaves files of this name out of packages, so the template has it without the dot. */
const IGNORE_FILE = ".gitignore";

/** Copies a template into a new or empty folder. Its packages of Orthant have this version. */
export async function createProject(folder: string, template: TemplateName, version: string): Promise<void> {
  await makeEmptyFolder(folder);
  for (const part of TEMPLATES[template].folders) {
    await cp(join(TEMPLATES_FOLDER, part), folder, { recursive: true });
  }
  await rename(join(folder, IGNORE_FILE.slice(1)), join(folder, IGNORE_FILE));
  const path = join(folder, "package.json");
  const manifest = JSON.parse(await readFile(path, "utf8")) as Manifest;
  manifest.name = packageName(folder);
  for (const name of Object.keys(manifest.dependencies)) {
    if (name === "orthant" || name.startsWith("@orthant/")) manifest.dependencies[name] = version;
  }
  await writeFile(path, `${JSON.stringify(manifest, undefined, 2)}\n`);
}

interface Manifest {
  name: string;
  readonly dependencies: Record<string, string>;
}

async function makeEmptyFolder(folder: string): Promise<void> {
  try {
    await mkdir(folder, { recursive: true });
    if ((await readdir(folder)).length === 0) return;
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code === "EEXIST" || code === "ENOTDIR") throw new WrongInput(`${folder} is a file, not a folder`);
    throw new Error(`the folder ${folder} cannot be made: ${message}`);
  }
  throw new WrongInput(`the folder ${folder} is not empty; name a new one`);
}

/** Returns a name that npm accepts, as close to the folder's as possible. */
function packageName(folder: string): string {
  const name = basename(resolve(folder))
    .toLowerCase()
    .replaceAll(/[^a-z0-9._-]+/g, "-")
    .replaceAll(/^[._-]+|-+$/g, "");
  return name || "my-world";
}
