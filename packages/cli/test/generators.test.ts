import { spawn } from "node:child_process";
import { mkdir, rm, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { EXIT, type GeneratorSource } from "@orthant/cli";
import { DEFAULT_GENERATORS, FLAT_DEFAULTS, flatGenerator, generatorRef } from "@orthant/core/generate";
import { NodeDisk } from "@orthant/disk/node";
import { orthantCommand } from "@orthant/testkit/process";
import { createWorldEngine, openWorldEngine } from "@orthant/world/engine";
import { afterEach, beforeAll, describe, expect, test } from "vitest";
import { type Captured, capture, temporaryFolder } from "./captured.ts";

const ORTHANT = orthantCommand();
const PACKAGES = fileURLToPath(new URL("../..", import.meta.url));

/** A generator as a game writes it. The package that defines it is the one that the game has installed. */
const HILLS = `
  import { defineGenerator } from "@orthant/core";
  const hills = defineGenerator({
    id: "my-game:hills",
    version: 1,
    dimensions: 2,
    parameters: { height: 2, steep: false, share: 0.5, name: "green" },
    open({ parameters: { height } }) {
      if (height > 99) throw new Error("height is at most 99");
      return (x, y) => (y < 0 && y >= -height ? 3 : 0);
    },
  });
  const { generator } = hills;
`;
const MODULES: Readonly<Record<string, string>> = {
  "hills.mjs": `${HILLS} export { hills };`,
  "hills.ts": `${HILLS} const height: number = 3; export { hills, height };`,
  "list.mjs": `${HILLS} export default [hills];`,
  "same.mjs": `${HILLS} export { hills }; export default hills; export { generator };`,
  "twice.mjs": `${HILLS} export { hills }; export const again = { ...generator };`,
  "flat.mjs": `export { flatGenerator as mine } from "@orthant/core/generate";`,
  "none.mjs": "export const height = 3; export const name = 'hills'; export const half = { id: 'half' };",
  "empty.mjs": "",
  "throws.mjs": "throw new RangeError('no noise today');",
  "syntax.mjs": "export const = 3;",
  "missing-import.mjs": "import './elsewhere.mjs';",
};

interface Ended {
  readonly code: number | null;
  readonly output: string;
  readonly errors: string;
}

let game = "";

/** Runs the program, or a game's own one, as a process in the game's folder. */
function start(argv: readonly string[], program = ORTHANT): Promise<Ended> {
  const child = spawn(process.execPath, [program, ...argv], { cwd: game, stdio: ["ignore", "pipe", "pipe"] });
  let output = "";
  let errors = "";
  child.stdout.on("data", (bytes) => {
    output += String(bytes);
  });
  child.stderr.on("data", (bytes) => {
    errors += String(bytes);
  });
  return new Promise((resolve, reject) => {
    child.once("error", reject);
    child.once("close", (code) => resolve({ code, output, errors }));
  });
}

beforeAll(async () => {
  game = await temporaryFolder();
  await mkdir(join(game, "node_modules/@orthant"), { recursive: true });
  await symlink(join(PACKAGES, "core"), join(game, "node_modules/@orthant/core"));
  await symlink(join(PACKAGES, "orthant"), join(game, "node_modules/orthant"));
  for (const [name, text] of Object.entries(MODULES)) await writeFile(join(game, name), text);
  const own = join(game, "node_modules/my-generators");
  await mkdir(own);
  const exported = { ".": { types: "./none.d.ts", import: "./main.js" }, "./more": "./more.js" };
  await writeFile(join(own, "package.json"), JSON.stringify({ type: "module", exports: exported }));
  for (const name of ["main.js", "more.js"]) await writeFile(join(own, name), `${HILLS} export { hills };`);
});

/** Runs a command line in this process, with the module of the game by its whole path. */
function load(module: string, ...argv: readonly string[]): Promise<Captured> {
  return capture([...argv, "--generators", module.startsWith(".") ? module : join(game, module)]);
}

describe("a game that package.json names", () => {
  const create = (): Promise<Ended> => start(["create", `named-${worlds++}`, "--template", "my-game:hills"]);
  const manifest = (text: string): Promise<void> => writeFile(join(game, "package.json"), text);
  let worlds = 0;
  afterEach(() => rm(join(game, "package.json")));

  test("is known to every command in its project", async () => {
    await manifest(JSON.stringify({ orthant: { game: "./hills.mjs" } }));
    expect(await create()).toMatchObject({ code: EXIT.ok, errors: "" });
    const got = await start(["get", "named-0", "0,-1", "--json"]);
    expect(JSON.parse(got.output)).toMatchObject({ block: { id: 3 } });
  });

  test.each([
    [{ orthant: { game: "./empty.mjs" } }, ""],
    [{ orthant: { game: 7 } }, ""],
    [{ orthant: null }, ""],
    [
      { orthant: { game: "./gone.mjs" } },
      'package.json, orthant.game: there is no file "./gone.mjs"; check how it is spelled; the generators of the game are left out',
    ],
    [
      { orthant: { game: "." } },
      'package.json, orthant.game: "." is a folder, where a file or a package is wanted',
    ],
    [
      { orthant: { game: "gone" } },
      'package.json, orthant.game: there is neither a file nor an installed package "gone"; check how it is spelled',
    ],
    [
      { orthant: { game: "./throws.mjs" } },
      'package.json, orthant.game: "./throws.mjs" could not be loaded: RangeError: no noise today',
    ],
    ["{", "package.json is not JSON"],
  ])("may be wrong, which stops no command: %j", async (given, problem) => {
    await manifest(typeof given === "string" ? given : JSON.stringify(given));
    const { code, errors, output } = await start(["create", `wrong-${worlds++}`, "--template", "terrain"]);
    expect([code, output]).toEqual([EXIT.ok, expect.stringContaining("terrain, seed")]);
    expect(errors).toContain(problem);
    expect(errors).not.toContain("--generators");
    expect(errors.split("\n")).toHaveLength(problem === "" ? 1 : 2);
  });

  test("may be in TypeScript, for which Node 20 needs tsx", async () => {
    await manifest(JSON.stringify({ type: "module", orthant: { game: "./hills.ts" } }));
    const { code, errors } = await create();
    if (Number.parseInt(process.versions.node, 10) >= 24) expect([code, errors]).toEqual([EXIT.ok, ""]);
    else expect(errors).toContain("run npm install --save-dev tsx in the project, or use Node 24");
  });
});

describe("--generators", () => {
  test.each([
    ["a file", "./hills.mjs"],
    ["an installed package", "my-generators"],
  ])("names %s, with which a process creates and reads a world", async (_what, module) => {
    const world = `${module.length}`;
    const words = ["--template", "my-game:hills", "--set", "height=5", "--seed", "7"];
    const made = await start(["create", world, ...words, "--generators", module]);
    expect(made).toMatchObject({ code: EXIT.ok, errors: "" });
    expect(made.output).toContain("chunks of  32 x 32 voxels");
    expect(made.output).toContain("my-game:hills, seed 7, height 5, name green, share 0.5, steep false");
    const got = await start(["--generators", module, "get", world, "0,-5,0", "--json"]);
    expect(JSON.parse(got.output)).toMatchObject({ block: { id: 3 }, chunk: { state: "untouched" } });
    const unknown = await capture(["get", join(game, world), "0,-5"]);
    expect(unknown.exitCode).toBe(EXIT.ok);
    expect(unknown.output).toContain(
      'block   unknown without the generator "my-game:hills"; --generators names the module that has it',
    );
  });

  test.each([
    ["a named export", "hills.mjs"],
    ["a list as the default export", "list.mjs"],
    ["the same generator twice", "same.mjs"],
  ])("finds %s", async (_what, module) => {
    const { errors } = await load(module, "create", "unmade", "--template", "other");
    expect(errors).toContain('--template: "other" is not one of platforms, terrain, tiles, my-game:hills\n');
  });

  test.each<[what: string, module: string, message: string]>([
    ["a file that is not there", "./hils.mjs", 'there is no file "./hils.mjs"; check how it is spelled'],
    ["a folder", ".", '"." is a folder, where a file or a package is wanted'],
    [
      "a module without a generator",
      "none.mjs",
      "exports no generator, only half, height, name; export what",
    ],
    ["a module without exports", "empty.mjs", "exports no generator, only nothing"],
    ["a module that throws", "throws.mjs", 'throws.mjs" could not be loaded: RangeError: no noise today'],
    ["a module with a mistake", "syntax.mjs", 'syntax.mjs" could not be loaded: '],
    [
      "a module that imports nothing",
      "missing-import.mjs",
      'missing-import.mjs" could not be loaded: Error: ',
    ],
    ["two generators with one id", "twice.mjs", 'have the id "my-game:hills" and version 1, twice in "'],
    [
      "an id of Orthant",
      "flat.mjs",
      'flat.mjs" is the id of a generator of Orthant; use one such as my-game:flat',
    ],
  ])("explains what is wrong with %s, with exit code 2", async (_what, module, message) => {
    const { exitCode, output, errors } = await load(module, "create", "unmade");
    expect({ exitCode, output }).toEqual({ exitCode: EXIT.usage, output: "" });
    expect(errors).toContain(message);
    expect(errors.split("\n").length).toBeLessThanOrEqual(3);
  });

  test("explains that a package is not installed", async () => {
    const { exitCode, errors } = await capture(["info", ".", "--generators", "no-such-generators"]);
    expect(exitCode).toBe(EXIT.usage);
    expect(errors).toContain('there is neither a file nor an installed package "no-such-generators"');
  });

  test("names both modules of two generators with one id", async () => {
    const { exitCode, errors } = await load("list.mjs", "info", ".", "--generators", join(game, "hills.mjs"));
    expect(exitCode).toBe(EXIT.usage);
    expect(errors).toMatch(/have the id "my-game:hills" and version 1, in ".*hills\.mjs" and ".*list\.mjs"/);
  });

  test.each([
    [["--set", "height=high"], '--set: height is a whole number, not "high"'],
    [["--set", "depth=3"], '--set: there is no parameter "depth"; there are height, steep, share, name'],
    [["--set", "share=half"], '--set: share is a number, not "half"'],
    [["--set", "height=100"], 'the generator "my-game:hills" failed: height is at most 99'],
    [["--dimensions", "3"], '"my-game:hills" generates worlds of 2 dimensions'],
    [["--set", "height"], '--set: "height" is not of the form name=value'],
    [
      ["--generator", "my-game:hils"],
      '--generator: "my-game:hils" is not one of flat, maze, platforms, terrain, my-',
    ],
    [["--dimensions", "5"], '--dimensions: "5" is not one of 2, 3, 4'],
  ])("rejects create with %j", async (words, message) => {
    const { exitCode, errors } = await load(
      "hills.mjs",
      ...["create", join(game, "unmade"), "--template", "my-game:hills", ...words],
    );
    expect(exitCode).toBe(EXIT.usage);
    expect(errors).toContain(message);
  });
});

describe("run({ generators })", () => {
  const generator = { ...flatGenerator, id: "my-game:hills" };

  test("makes a command line of a game, with its generators", async () => {
    const own = `import { run } from "orthant/command-line"; ${HILLS} await run({ generators: [hills] });`;
    await writeFile(join(game, "my-game.mjs"), own);
    const program = join(game, "my-game.mjs");
    const words = ["--template", "my-game:hills", "--json"];
    const made = await start(["create", "own", ...words], program);
    expect(made).toMatchObject({ code: EXIT.ok, errors: "" });
    expect(JSON.parse(made.output)).toMatchObject({
      chunkShape: [32, 32],
      generator: { id: "my-game:hills" },
    });
    expect(await start(["info", "nowhere"], program)).toMatchObject({ code: EXIT.failed });
  });

  test("accepts a generator, and something that has one", async () => {
    const folder = await temporaryFolder();
    const create = async (name: string, source: GeneratorSource): Promise<number> => {
      const argv = ["create", join(folder, name), "--template", "my-game:hills", "--set", "thickness=3"];
      const set = ["--set", "top=0", "--set", "block=3"];
      return (await capture([...argv, ...set], { generators: [source] })).exitCode;
    };
    expect(await create("plain", generator)).toBe(EXIT.ok);
    expect(await create("wrapped", { generator })).toBe(EXIT.ok);
  });

  test.each<[what: string, generators: unknown]>([
    ["one generator instead of a list", generator],
    ["text", ["my-game:hills"]],
    ["nothing", [undefined]],
    ["half a generator", [{ id: "my-game:hills", open: () => undefined }]],
  ])("rejects %s", async (_what, generators) => {
    const wrong = generators as readonly GeneratorSource[];
    await expect(capture(["--version"], { generators: wrong })).rejects.toThrow("ORT_ARGUMENT: generators");
  });
});

/** Creates a world of a game, whose generator the command line lacks, with two edits in two saves. */
async function foreignWorld(name: string): Promise<string> {
  const folder = join(game, name);
  const generator = { ...flatGenerator, id: "my-game:islands" };
  const generators = DEFAULT_GENERATORS.including(generator);
  await mkdir(folder);
  const ref = generatorRef(generator, FLAT_DEFAULTS, 1n);
  const world = await createWorldEngine(
    new NodeDisk(folder),
    { generator: ref },
    {
      generators,
      autosave: false,
      retention: { newest: 100, hours: 0, days: 0 },
    },
  );
  await world.set([0, -1, 0, 0], 9);
  await world.fill({ min: [64, 64, 64, 64], max: [72, 72, 72, 72] }, 5);
  await world.save();
  await world.set([0, -1, 0, 0], 11);
  await world.fill({ min: [64, 64, 64, 64], max: [72, 72, 72, 72] }, 6);
  await world.close();
  return folder;
}

describe("a world whose generator is missing", () => {
  let world = "";
  beforeAll(async () => {
    world = await foreignWorld("islands");
  });

  test.each<[argv: readonly string[], printed: string]>([
    [["info", "--count"], "my-game:islands, seed 1, unknown here"],
    [["ls", "chunks"], "[0, -1, 0, 0]  content  unknown     0\n[8, 8, 8, 8]   content        1     0\n"],
    [["ls", "generations"], "live"],
    [["get", "0,-1,0"], "block       11 "],
    [["get", "70,70,70,70"], "block       6 "],
    [["log"], "2026"],
    [["diff", "--generation", "2"], "2 chunks"],
    [["verify"], "no damage"],
    [["repair"], "nothing is damaged"],
    [["backup", "COPY"], "backed up"],
    [["restore", "RESTORED"], "restored"],
    [["tag", "harvest"], 'is kept as "harvest"'],
    [["tag", "sowing", "--generation", "1"], 'generation 1 is kept as "sowing"'],
    [["compact"], "of packs are"],
    [["map", "-o", "PICTURE"], "wrote"],
    [["restore", "--box", "64,64,64,64..65,65,65,65", "--from", "2"], "1 chunk changed"],
    [["restore", "--box", "64,64,64,64..65,65,65,65", "--from", "1"], "1 chunk changed"],
  ])("needs no generator for %j", async ([command = "", ...rest], printed) => {
    // Names in capitals are new places.
    const places = rest.map((word) => (/^[A-Z]+$/.test(word) ? join(game, word) : word));
    const { exitCode, output, errors } = await capture([command, world, ...places]);
    expect({ exitCode, errors: errors.replace(/^only edits are shown.*\n/, "") }).toEqual({
      exitCode: command === "diff" ? EXIT.failed : EXIT.ok,
      errors: "",
    });
    expect(output).toContain(printed);
  });

  test("is named, listed and compacted by processes", async () => {
    for (const argv of [
      ["tag", world, "spring"],
      ["get", world, "0,-1,0"],
      ["compact", world],
    ])
      expect(await start(argv)).toMatchObject({ code: EXIT.ok, errors: "" });
    expect((await start(["log", world])).output).toContain("spring");
  });

  test("is repaired with the edits that are stored as changes to generated chunks", async () => {
    const { exitCode } = await capture(["repair", world, "--to", join(game, "repaired-islands")]);
    expect(exitCode).toBe(EXIT.ok);
    const generators = DEFAULT_GENERATORS.including({ ...flatGenerator, id: "my-game:islands" });
    const repaired = await openWorldEngine(new NodeDisk(join(game, "repaired-islands")), {
      readOnly: true,
      generators,
    });
    expect(await repaired.get([0, -1, 0, 0])).toBe(11);
    expect(await repaired.get([1, -1, 0, 0])).toBe(FLAT_DEFAULTS.block);
    await repaired.close();
  });

  test.each<readonly string[]>([
    ["serve", "--port", "0"],
    ["convert", "OTHERS", "--to", "v3", "--accept-loss"],
    ["restore", "--box", "0,-1,0..1,0,1", "--from", "2"],
  ])("says which generator %s needs, and how to name it", async (command, ...rest) => {
    const places = rest.map((word) => (/^[A-Z]+$/.test(word) ? join(game, word) : word));
    const { exitCode, errors } = await capture([command, world, ...places]);
    expect(exitCode).toBe(EXIT.failed);
    expect(errors).toContain('there is no generator "my-game:islands" here');
    expect(errors).toContain("hint: --generators ./FILE names a module of the world's game");
  });
});
