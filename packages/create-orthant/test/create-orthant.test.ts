import { readdir, readFile, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { COMMAND, create, type Ended, emptyFolder, MODULES, run } from "./created-project.ts";

const ROOT_MANIFEST = new URL("../../../package.json", import.meta.url);
const OWN_MANIFEST = new URL("../package.json", import.meta.url);
const FIRST_GAME = new URL("../../../docs/guides/first-game.md", import.meta.url);
const TEMPLATES = ["three", "tiles", "server", "browser"];
/** Packages that templates use and the repository does not. */
const OF_TEMPLATES = ["tsx"];

interface Manifest {
  readonly name: string;
  readonly version: string;
  readonly dependencies: Readonly<Record<string, string>>;
  readonly devDependencies: Readonly<Record<string, string>>;
}

/** Runs the command on a terminal, and types the lines. */
const createAt = (cwd: string, typed: string): Promise<Ended> =>
  run("script", ["-qec", `"${process.execPath}" "${COMMAND}"`, "/dev/null"], cwd, typed);

async function readManifest(path: string | URL): Promise<Manifest> {
  return JSON.parse(await readFile(path, "utf8")) as Manifest;
}

test.each(TEMPLATES)(
  "%s becomes a project with the folder's name and packages of this version",
  async (template) => {
    const folder = await emptyFolder();
    const { exitCode, output, errors } = await create(folder, "My World 2", "--template", template);
    expect([exitCode, errors]).toEqual([0, ""]);
    expect(output).toContain('cd "My World 2"');

    const project = join(folder, "My World 2");
    const files = await readdir(project);
    expect(files).toEqual(expect.arrayContaining([".gitignore", "README.md", "package.json", "src", "test"]));
    expect(files).not.toContain("gitignore");
    const manifest = await readManifest(join(project, "package.json"));
    const { version } = await readManifest(OWN_MANIFEST);
    expect(manifest.name).toBe("my-world-2");
    const ours = Object.entries(manifest.dependencies).filter(([name]) => /^@?orthant(?:\/|$)/.test(name));
    expect(ours).not.toEqual([]);
    for (const [name, given] of ours) expect([name, given]).toEqual([name, version]);
  },
);

test.each(TEMPLATES)("%s uses the versions of other packages that the repository tests", async (template) => {
  const folder = await emptyFolder();
  await create(folder, "game", "--template", template);
  const { dependencies, devDependencies } = await readManifest(join(folder, "game", "package.json"));
  const tested = (await readManifest(ROOT_MANIFEST)).devDependencies;
  for (const [name, version] of Object.entries({ ...dependencies, ...devDependencies })) {
    if (/orthant/.test(name) || OF_TEMPLATES.includes(name)) continue;
    expect([name, version]).toEqual([name, tested[name]]);
  }
});

test.each(["three", "tiles"])(
  "%s passes its own tests with the rule of the guide",
  async (template) => {
    const folder = await emptyFolder();
    await create(folder, "game", "--template", template);
    const project = join(folder, "game");
    await symlink(MODULES, join(project, "node_modules"));
    const [rules] = /^ {2}rules: \{$.+?^ {2}\},$/ms.exec(await readFile(FIRST_GAME, "utf8")) ?? [];
    const game = join(project, "src/server/game.ts");
    const [beforeOptions, afterOptions] = (await readFile(game, "utf8")).split("createServer({");
    await writeFile(game, `${beforeOptions}createServer({\n${rules}${afterOptions}`);
    expect(await run("npm", ["test"], project)).toMatchObject({ exitCode: 0 });
  },
  120_000,
);

test.each(["three", "tiles", "browser"])(
  "the page of %s has an icon of its own, which its content security policy allows",
  async (template) => {
    const folder = await emptyFolder();
    await create(folder, "game", "--template", template);
    const html = await readFile(join(folder, "game/index.html"), "utf8");
    const icon = /<link rel="icon" href="(?<path>[^"]+)"/.exec(html)?.groups?.["path"] ?? "";
    expect(await readFile(join(folder, "game/public", icon), "utf8")).toContain("<svg");
  },
);

test("a folder that is not empty is refused, and stays as it is", async () => {
  const folder = await emptyFolder();
  await writeFile(join(folder, "notes.txt"), "mine");
  const { exitCode, errors } = await create(folder, ".", "--template", "three");
  expect(exitCode).toBe(2);
  expect(errors).toBe("create-orthant: the folder . is not empty; name a new one\n");
  expect(await readdir(folder)).toEqual(["notes.txt"]);
});

test("an empty folder can be the current one", async () => {
  const folder = await emptyFolder();
  expect((await create(folder, ".", "--template", "three")).exitCode).toBe(0);
  expect(await readdir(folder)).toContain("package.json");
});

test("a file in the place of the folder is refused", async () => {
  const folder = await emptyFolder();
  await writeFile(join(folder, "game"), "");
  const { exitCode, errors } = await create(folder, "game", "--template", "three");
  expect([exitCode, errors]).toEqual([2, "create-orthant: game is a file, not a folder\n"]);
});

test("without a terminal a template must be named, and nothing is made", async () => {
  const folder = await emptyFolder();
  const { exitCode, errors } = await create(folder, "game");
  expect(exitCode).toBe(2);
  expect(errors).toMatch(
    /name a template: .* game -- --template NAME, with one of three, tiles, server, browser/,
  );
  expect(await readdir(folder)).toEqual([]);
});

test.each([
  [["game", "--template", "four"], 'no template named "four"; there are three, tiles, server, browser'],
  [["game", "--template", "constructor"], 'no template named "constructor"'],
  [["game", "--colour"], "--help lists the options"],
  [["game", "other", "--template", "three"], "one folder, not game and other"],
])("the command line %j is refused with what would be right", async (parameters, message) => {
  const folder = await emptyFolder();
  const { exitCode, errors } = await create(folder, ...parameters);
  expect(exitCode).toBe(2);
  expect(errors).toContain(message);
  expect(await readdir(folder)).toEqual([]);
});

test("--help lists every template, and --version prints the package's version", async () => {
  const folder = await emptyFolder();
  const { output } = await create(folder, "--help");
  for (const template of TEMPLATES) expect(output).toMatch(new RegExp(`^  ${template} `, "m"));
  expect((await create(folder, "--version")).output).toBe(`${(await readManifest(OWN_MANIFEST)).version}\n`);
});

test("on a terminal it asks for the folder and the template, and offers the usual ones", async () => {
  const folder = await emptyFolder();
  expect(await createAt(folder, "game\ntiles\n")).toMatchObject({ exitCode: 0 });
  expect(await createAt(folder, "\n\n")).toMatchObject({ exitCode: 0 });
  expect((await readdir(folder)).sort()).toEqual(["game", "my-world"]);
});

test("Ctrl-D at a question makes nothing", async () => {
  const folder = await emptyFolder();
  const { exitCode, output } = await createAt(folder, "\u0004");
  expect(exitCode).toBe(1);
  expect(output).toContain("stopped; nothing was made");
  expect(await readdir(folder)).toEqual([]);
});
