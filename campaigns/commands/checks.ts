import { open, readdir, readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { chunkOfVoxel, type Position } from "@orthant/core";
import { NodeDisk } from "@orthant/disk/node";
import { openWorld } from "@orthant/world";
import { connect } from "orthant";
import { COMMANDS, EXIT } from "orthant/command-line";
import { type Bench, RunningCli } from "./bench.ts";
import { makeGarbage, voxelFault } from "./made-world.ts";
import { ALL_GENERATORS, type Placement, shapeOf } from "./recipe.ts";

/** Tries one command on one world, and compares the result with the model. */
type Check = (bench: Bench) => Promise<void>;

/** The check of every command. A command that is missing here fails the campaign. */
export const CHECKS: Readonly<Record<string, Check>> = {
  create: checkCreate,
  info: checkInfo,
  ls: checkLs,
  get: checkGet,
  map: checkMap,
  verify: checkVerify,
  repair: checkRepair,
  diff: checkDiff,
  log: checkLog,
  tag: checkTag,
  convert: checkConvert,
  backup: checkBackup,
  restore: checkRestore,
  compact: checkCompact,
  serve: checkServe,
  cluster: checkCluster,
  token: checkToken,
  bench: checkBench,
  completion: checkCompletion,
};

const PNG_SIGNATURE = "89504e470d0a1a0a";
const VOXELS_ASKED = 4;
/** Formats that a world can be converted to and back from, by its dimensions. */
const FORMATS = { 2: ["tilesave", "pxsw"], 3: ["marsminer"], 4: ["flat", "v3"] } as const;

/** Exit code of a read-only command: the command line cannot replay the journal of a foreign world. */
function readingExit({ world: { model } }: Bench): number {
  return model.losesJournal ? EXIT.loss : EXIT.ok;
}

/** Edits that the command line can see: not those that only the journal of a foreign world has. */
function visibleEdits({ world: { model } }: Bench): readonly Placement[] {
  if (!model.losesJournal) return model.edits;
  return [...(model.saved.get(model.generation) ?? new Map<string, Placement>()).values()];
}

async function checkCreate(bench: Bench): Promise<void> {
  const { dimensions, seed } = bench.world.model.recipe;
  const template = { 2: "tiles", 3: "terrain", 4: "platforms" }[dimensions];
  const folder = bench.newFolder();
  const options = ["--template", template, "--seed", String(seed), "--name", `made ${seed}`];
  await bench.run(EXIT.ok, "create", folder, ...options);
  const info = await bench.object(EXIT.ok, "info", folder);
  bench.equal("create", [info["name"], info["dimensions"]], [`made ${seed}`, dimensions]);
  await bench.run(EXIT.failed, "create", bench.world.folder, ...options);
}

async function checkInfo(bench: Bench): Promise<void> {
  const { model, folder } = bench.world;
  const info = await bench.object(readingExit(bench), "info", folder);
  const journal = info["journal"] as { readonly changes: number } | undefined;
  bench.equal(
    "info",
    [info["name"], info["dimensions"], info["generation"], journal?.changes],
    [model.recipe.name, model.recipe.dimensions, model.generation, model.journaled],
  );
  const named =
    (info["namedGenerations"] as readonly { name: string; generation: number }[] | undefined) ?? [];
  bench.equal(
    "names",
    named.map(({ name, generation }) => [name, generation]),
    [...model.names],
  );
  bench.equal("players", info["players"], visiblePlayers(bench).length);
}

function visiblePlayers({ world: { model } }: Bench): readonly string[] {
  const names = [...model.players.values()];
  return model.losesJournal ? names.slice(0, 1) : names;
}

async function checkLs(bench: Bench): Promise<void> {
  const { model, folder } = bench.world;
  const players = await bench.object(readingExit(bench), "ls", folder, "players");
  bench.equal(
    "ls players",
    itemsOf<{ name: string }>(players).map(({ name }) => name),
    visiblePlayers(bench),
  );
  const generations = await bench.object(readingExit(bench), "ls", folder, "generations");
  const live = itemsOf<{ state: string; generation: number }>(generations).filter(
    ({ state }) => state === "live",
  );
  bench.equal(
    "ls generations",
    live.map(({ generation }) => generation),
    [model.generation],
  );
  const chunks = await bench.object(readingExit(bench), "ls", folder, "chunks", "--limit", "100000");
  const found = itemsOf<{ chunk: Position }>(chunks).map(({ chunk }) => `${chunk}`);
  const shape = shapeOf(model.recipe);
  const expected = new Set(visibleEdits(bench).map(([voxel]) => `${chunkOfVoxel(shape, voxel)}`));
  bench.equal("ls chunks", found.sort(), [...expected].sort());
}

function itemsOf<Item>(listed: Readonly<Record<string, unknown>>): readonly Item[] {
  return (listed["items"] as readonly Item[] | undefined) ?? [];
}

async function checkGet(bench: Bench): Promise<void> {
  const { model, folder } = bench.world;
  const above: Placement = [[1, 500, 0, 0], 0];
  for (const [voxel, block] of [...model.edits.slice(-VOXELS_ASKED), above]) {
    const got = await bench.object(readingExit(bench), "get", folder, voxel.join(","));
    const found = got["block"] as { readonly id: number } | null | undefined;
    // Without the generator, `get` cannot know the block.
    bench.equal(`get ${voxel}`, found?.id ?? null, model.recipe.isForeign ? null : block);
  }
}

async function checkMap(bench: Bench): Promise<void> {
  const { folder, model } = bench.world;
  const backup = bench.newFolder();
  await bench.run(EXIT.ok, "backup", folder, backup);
  const box = "-64,0,-1,0..64,42,1,1";
  const pictures: string[] = [];
  for (const from of [folder, backup]) {
    const output = `${bench.newFolder()}.png`;
    await bench.object(
      readingExit(bench),
      "map",
      from,
      "--box",
      box,
      "--output",
      output,
      "--background",
      "000000",
    );
    pictures.push((await readFile(output).catch(() => Buffer.from(""))).toString("hex"));
  }
  const [picture = "", again] = pictures;
  bench.equal("map of a backup", again, picture);
  if (!picture.startsWith(PNG_SIGNATURE)) bench.fail(`map of ${model.recipe.name} wrote no PNG`);
}

async function checkVerify(bench: Bench): Promise<void> {
  await bench.run(EXIT.ok, "verify", bench.world.folder);
  const damaged = await bench.copy();
  await changeByte(join(damaged, await newestPlayers(damaged)));
  const found = await bench.object(EXIT.failed, "verify", damaged);
  bench.equal("verify of damage", found["whole"] ?? false, false);
}

async function newestPlayers(folder: string): Promise<string> {
  const names = (await readdir(folder)).filter((name) => name.startsWith("players"));
  return names.sort().at(-1) ?? "players";
}

async function changeByte(file: string): Promise<void> {
  const { size } = await stat(file);
  const handle = await open(file, "r+");
  try {
    const { buffer } = await handle.read({ buffer: new Uint8Array(1), position: size - 1 });
    await handle.write(Uint8Array.of((buffer[0] ?? 0) ^ 0xff), 0, 1, size - 1);
  } finally {
    await handle.close();
  }
}

async function checkRepair(bench: Bench): Promise<void> {
  const { folder, model } = bench.world;
  const mended = bench.newFolder();
  const found = await bench.object(readingExit(bench), "repair", folder, "--to", mended);
  const losses = (found["losses"] as readonly { readonly what: string }[] | undefined) ?? [];
  bench.equal(
    "what repair loses and keeps of the journal",
    [losses.map(({ what }) => what), found["journalChanges"]],
    model.losesJournal ? [["journal"], 0] : [[], model.journaled],
  );
  bench.fail(await voxelFault(mended, visibleEdits(bench)));
  await bench.run(EXIT.ok, "verify", mended);
}

async function checkDiff(bench: Bench): Promise<void> {
  const { folder, model } = bench.world;
  const backup = bench.newFolder();
  await bench.run(EXIT.ok, "backup", folder, backup);
  const same = await bench.object(readingExit(bench), "diff", folder, backup);
  bench.equal("diff with a backup", same["equal"], true);
  const voxel: Position = [5, 60, 0, 0];
  const world = await openWorld(new NodeDisk(backup), { autosave: false, generators: ALL_GENERATORS });
  await world.set(voxel, 11);
  await world.close();
  if (model.losesJournal) return;
  const other = await bench.object(EXIT.failed, "diff", folder, backup);
  const listed = (other["differences"] as readonly { kind: string; chunk?: Position }[] | undefined) ?? [];
  const chunk = chunkOfVoxel(shapeOf(model.recipe), voxel);
  bench.equal(
    "diff after an edit",
    listed.map(({ kind, chunk: at }) => [kind, at]),
    [["chunk", [...chunk]]],
  );
}

async function checkLog(bench: Bench): Promise<void> {
  const { folder, model } = bench.world;
  const log = await bench.object(EXIT.ok, "log", folder);
  const listed =
    (log["generations"] as readonly { generation: number; name: string | null }[] | undefined) ?? [];
  bench.equal("log begins with the live generation", listed[0]?.generation, model.generation);
  const named = listed.filter(({ name }) => name !== null).map(({ name, generation }) => [name, generation]);
  bench.equal("names in the log", named, [...model.names]);
}

async function checkTag(bench: Bench): Promise<void> {
  const { model } = bench.world;
  const folder = await bench.copy();
  if (model.recipe.isForeign) {
    await bench.run(EXIT.failed, "tag", folder, "keep-this");
    return;
  }
  const tagged = await bench.object(EXIT.ok, "tag", folder, "keep-this");
  const log = await bench.object(EXIT.ok, "log", folder);
  const listed =
    (log["generations"] as readonly { generation: number; name: string | null }[] | undefined) ?? [];
  bench.equal("tag", listed.find(({ name }) => name === "keep-this")?.generation, tagged["generation"]);
  bench.fail(await voxelFault(folder, model.edits));
  await bench.run(EXIT.ok, "tag", folder, "keep-this", "--remove");
}

async function checkConvert(bench: Bench): Promise<void> {
  const { folder, model } = bench.world;
  for (const format of FORMATS[model.recipe.dimensions]) {
    const converted = bench.newFolder();
    const moved = await bench.object(
      undefined,
      "convert",
      folder,
      converted,
      "--to",
      format,
      "--accept-loss",
    );
    const losses = (moved["losses"] as readonly { readonly what: string }[] | undefined) ?? [];
    bench.equal(
      "convert lost the journal",
      losses.some(({ what }) => what === "journal"),
      model.losesJournal,
    );
    if (format === "v3") {
      await bench.run(EXIT.ok, "verify", converted);
      bench.fail(await voxelFault(converted, visibleEdits(bench)));
      continue;
    }
    const back = bench.newFolder();
    await bench.run(EXIT.ok, "info", converted);
    // A tile save has no checksums, so it can be neither verified nor repaired.
    for (const command of ["verify", "repair"]) {
      await bench.run(format === "tilesave" ? EXIT.failed : EXIT.ok, command, converted);
    }
    await bench.object(undefined, "convert", converted, back, "--accept-loss");
    bench.fail(await voxelFault(back, visibleEdits(bench)));
  }
}

async function checkBackup(bench: Bench): Promise<void> {
  const { folder, model } = bench.world;
  const backup = bench.newFolder();
  const found = await bench.object(EXIT.ok, "backup", folder, backup);
  bench.equal("backup", [found["generation"], found["changes"]], [model.generation, model.journaled]);
  bench.fail(await voxelFault(backup, model.edits));
  await bench.run(EXIT.ok, "verify", backup);
}

async function checkRestore(bench: Bench): Promise<void> {
  const { folder, model } = bench.world;
  const restored = bench.newFolder();
  await bench.run(EXIT.ok, "restore", folder, restored);
  bench.fail(await voxelFault(restored, model.edits));
  const [from] = [...model.saved.keys()];
  const [edit] = [...(model.saved.get(from ?? -1)?.values() ?? [])];
  if (from === undefined || edit === undefined || model.recipe.state === "compacted") return;
  const [[x, y, z, w]] = edit;
  const box = `${x},${y},${z},${w}..${x + 1},${y + 1},${z + 1},${w + 1}`;
  const rolledBack = await bench.copy();
  const words = ["restore", rolledBack, "--box", box, "--from", String(from)];
  if (model.recipe.isForeign) {
    await bench.run(EXIT.failed, ...words);
    return;
  }
  await bench.run(EXIT.ok, ...words);
  // Only the chunk around the voxel is rolled back.
  const shape = shapeOf(model.recipe);
  const chunk = `${chunkOfVoxel(shape, [x, y, z, w])}`;
  const isInside = ([voxel]: Placement): boolean => `${chunkOfVoxel(shape, voxel)}` === chunk;
  bench.fail(await voxelFault(rolledBack, [...(model.saved.get(from)?.values() ?? [])].filter(isInside)));
  bench.fail(
    await voxelFault(
      rolledBack,
      model.edits.filter((placed) => !isInside(placed)),
    ),
  );
}

async function checkCompact(bench: Bench): Promise<void> {
  const { model } = bench.world;
  const folder = await bench.copy();
  if (model.recipe.isForeign) {
    await bench.run(EXIT.failed, "compact", folder);
    return;
  }
  await makeGarbage(folder);
  const found = await bench.object(EXIT.ok, "compact", folder);
  const [before, after] = [Number(found["bytesBefore"]), Number(found["bytesAfter"])];
  if (!(after < before)) bench.fail(`compact made ${after} bytes of ${before}`);
  bench.fail(await voxelFault(folder, model.edits));
  await bench.run(EXIT.ok, "verify", folder);
}

async function checkServe(bench: Bench): Promise<void> {
  const { model } = bench.world;
  const folder = await bench.copy();
  if (model.recipe.isForeign) {
    await bench.run(EXIT.failed, "serve", folder, "--port", "0");
    return;
  }
  const server = new RunningCli(["serve", folder, "--port", "0", "--json"]);
  bench.runs++;
  const { url, token } = JSON.parse((await server.firstLine) || "{}") as { url?: string; token?: string };
  if (url === undefined || token === undefined) {
    await server.end("SIGTERM");
    return bench.fail("serve did not say where it listens");
  }
  const [voxel, block] = model.edits[0] ?? ([[1, 30, 0, 0], 0] as const);
  const client = connect(url, { name: "Ada", token, interest: { center: voxel, radiusChunks: 1 } });
  await client.complete();
  bench.equal(`served voxel [${voxel}]`, client.voxelAt(voxel), block);
  await client.close();
  bench.equal("exit code of serve", await server.end("SIGTERM"), EXIT.ok);
  bench.fail(await voxelFault(folder, model.edits));
}

async function checkCluster(bench: Bench): Promise<void> {
  const { model } = bench.world;
  const folder = await bench.copy();
  const [shards, name] = [await bench.copy(), `w${model.recipe.seed}-${Object.keys(CHECKS).length}`];
  const words = ["cluster", "create", name, folder, "--shards", shards, "--copies", "1"];
  if (model.recipe.isForeign) {
    await bench.run(EXIT.failed, ...words);
    return;
  }
  const made = await bench.object(EXIT.ok, ...words);
  bench.equal("cluster create", [made["world"], made["name"]], [name, model.recipe.name]);
  const status = await bench.object(EXIT.ok, "cluster", "status", name, "--copies", "1");
  bench.equal("cluster status", (status["shards"] as readonly unknown[] | undefined)?.length, 1);
}

async function checkToken(bench: Bench): Promise<void> {
  const file = `${bench.newFolder()}.txt`;
  const made = await bench.object(EXIT.ok, "token", "--secret-file", file, "--new-secret", "--player", "7");
  bench.equal(
    "token",
    [made["playerId"], made["role"], String(made["token"]).split(".").length],
    ["7", "builder", 3],
  );
  await bench.run(EXIT.usage, "token", "--player", "seven");
}

async function checkBench(bench: Bench): Promise<void> {
  const measured = await bench.object(EXIT.ok, "bench", bench.world.folder);
  if (!(Number(measured["writeBytesPerSecond"]) > 0)) bench.fail("bench measured nothing");
  const left = (await readdir(bench.world.folder)).filter((name) => name.includes("bench"));
  bench.equal("files that bench left", left, []);
}

async function checkCompletion(bench: Bench): Promise<void> {
  for (const shell of ["bash", "zsh", "fish"]) {
    const { output } = await bench.run(EXIT.ok, "completion", shell);
    const missing = COMMANDS.map(({ name }) => name).filter((name) => !output.includes(name));
    bench.equal(`commands that ${shell} does not complete`, missing, []);
  }
}
