import { open, readdir, readFile, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { COMMANDS, EXIT } from "@orthant/cli";
import { connectReplica } from "@orthant/client/node";
import { dimensionsOf, type Position } from "@orthant/core";
import { chunkOfVoxel } from "@orthant/core/lattice";
import { NodeDisk } from "@orthant/disk/node";
import { Wire1Recorder } from "@orthant/protocol/wire1";
import { openWorldEngine } from "@orthant/world/engine";
import { type CommandTester, RunningCli } from "./command-tester.ts";
import { checkEdit, checkExport, checkPaste } from "./exchange-checks.ts";
import { checkLinks } from "./link-checks.ts";
import { voxelFault } from "./made-world.ts";
import { ALL_GENERATORS, type Placement, shapeOf } from "./recipe.ts";
import { checkCompact, checkUpgrade, GENERATORS_MODULE } from "./rewriting-checks.ts";

/** Tries one command on one world, and compares the result with the model. */
type Check = (tester: CommandTester) => Promise<void>;

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
  edit: checkEdit,
  paste: checkPaste,
  export: checkExport,
  backup: checkBackup,
  restore: checkRestore,
  compact: checkCompact,
  upgrade: checkUpgrade,
  serve: checkServe,
  replay: checkReplay,
  cluster: checkCluster,
  token: checkToken,
  bench: checkBench,
  completion: checkCompletion,
  // Not a command: all of them, on worlds with links.
  links: checkLinks,
};

const PNG_SIGNATURE = "89504e470d0a1a0a";
const VOXELS_ASKED = 4;
/** Formats that a world can be converted to and back from, by its dimensions. */
const FORMATS = { 2: ["tilesave", "pxsw"], 3: ["marsminer"], 4: ["flat", "v3"] } as const;

/** Exit code of a read-only command: the command line cannot replay the journal of a foreign world. */
function readingExit({ world: { model } }: CommandTester): number {
  return model.losesJournal ? EXIT.loss : EXIT.ok;
}

/** Edits that the command line can see: not those that only the journal of a foreign world has. */
function visibleEdits({ world: { model } }: CommandTester): readonly Placement[] {
  if (!model.losesJournal) return model.edits;
  return [...(model.saved.get(model.generation) ?? new Map<string, Placement>()).values()];
}

async function checkCreate(tester: CommandTester): Promise<void> {
  const { dimensions, seed } = tester.world.model.recipe;
  const template = { 2: "tiles", 3: "terrain", 4: "platforms" }[dimensions];
  const folder = tester.newFolder();
  const options = ["--template", template, "--seed", String(seed), "--name", `made ${seed}`];
  await tester.run(EXIT.ok, "create", folder, ...options);
  const info = await tester.object(EXIT.ok, "info", folder);
  tester.equal("create", [info["name"], info["dimensions"]], [`made ${seed}`, dimensions]);
  await tester.run(EXIT.failed, "create", tester.world.folder, ...options);
}

async function checkInfo(tester: CommandTester): Promise<void> {
  const { model, folder } = tester.world;
  const info = await tester.object(readingExit(tester), "info", folder);
  const journal = info["journal"] as { readonly changes: number } | undefined;
  tester.equal(
    "info",
    [info["name"], info["dimensions"], info["generation"], journal?.changes],
    [model.recipe.name, model.recipe.dimensions, model.generation, model.journaled],
  );
  const named =
    (info["namedGenerations"] as readonly { name: string; generation: number }[] | undefined) ?? [];
  tester.equal(
    "names",
    named.map(({ name, generation }) => [name, generation]),
    [...model.names],
  );
  tester.equal("players", info["players"], visiblePlayers(tester).length);
}

function visiblePlayers({ world: { model } }: CommandTester): readonly string[] {
  const names = [...model.players.values()];
  return model.losesJournal ? names.slice(0, 1) : names;
}

async function checkLs(tester: CommandTester): Promise<void> {
  const { model, folder } = tester.world;
  const players = await tester.object(readingExit(tester), "ls", folder, "players");
  tester.equal(
    "ls players",
    itemsOf<{ name: string }>(players).map(({ name }) => name),
    visiblePlayers(tester),
  );
  const generations = await tester.object(readingExit(tester), "ls", folder, "generations");
  const live = itemsOf<{ state: string; generation: number }>(generations).filter(
    ({ state }) => state === "live",
  );
  tester.equal(
    "ls generations",
    live.map(({ generation }) => generation),
    [model.generation],
  );
  const chunks = await tester.object(readingExit(tester), "ls", folder, "chunks", "--limit", "100000");
  const found = itemsOf<{ chunk: Position }>(chunks).map(({ chunk }) => `${chunk}`);
  const shape = shapeOf(model.recipe);
  const expected = new Set(visibleEdits(tester).map(([voxel]) => `${chunkOfVoxel(shape, voxel)}`));
  tester.equal("ls chunks", found.sort(), [...expected].sort());
}

function itemsOf<Item>(listed: Readonly<Record<string, unknown>>): readonly Item[] {
  return (listed["items"] as readonly Item[] | undefined) ?? [];
}

async function checkGet(tester: CommandTester): Promise<void> {
  const { model, folder } = tester.world;
  const above: Placement = [[1, 500, 0, 0], 0];
  for (const [voxel, block] of [...model.edits.slice(-VOXELS_ASKED), above]) {
    const got = await tester.object(readingExit(tester), "get", folder, voxel.join(","));
    const found = got["block"] as { readonly id: number } | null | undefined;
    tester.equal(`get ${voxel}`, found?.id ?? null, model.visibleBlock(voxel, block));
  }
}

async function checkMap(tester: CommandTester): Promise<void> {
  const { folder, model } = tester.world;
  const backup = tester.newFolder();
  await tester.run(EXIT.ok, "backup", folder, backup);
  const box = "-64,0,-1,0..64,42,1,1";
  const pictures: string[] = [];
  for (const from of [folder, backup]) {
    const output = `${tester.newFolder()}.png`;
    await tester.object(
      readingExit(tester),
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
  tester.equal("map of a backup", again, picture);
  if (!picture.startsWith(PNG_SIGNATURE)) tester.fail(`map of ${model.recipe.name} wrote no PNG`);
}

/** Exports one voxel, whose block gets the name that it has in Minecraft, and reads the file again. */
async function checkVerify(tester: CommandTester): Promise<void> {
  await tester.run(EXIT.ok, "verify", tester.world.folder);
  const damaged = await tester.copy();
  await changeByte(join(damaged, await newestPlayers(damaged)));
  const found = await tester.object(EXIT.failed, "verify", damaged);
  tester.equal("verify of damage", found["whole"] ?? false, false);
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

async function checkRepair(tester: CommandTester): Promise<void> {
  const { folder, model } = tester.world;
  const mended = tester.newFolder();
  const exit = model.repairLosesJournal ? EXIT.loss : EXIT.ok;
  const found = await tester.object(exit, "repair", folder, "--to", mended);
  const losses = (found["losses"] as readonly { readonly what: string }[] | undefined) ?? [];
  tester.equal(
    "what repair loses and keeps of the journal",
    [losses.map(({ what }) => what), found["journalChanges"]],
    model.repairLosesJournal ? [["journal"], 0] : [[], model.journaled],
  );
  const kept = model.repairLosesJournal ? (model.saved.get(model.generation)?.values() ?? []) : model.edits;
  tester.fail(await voxelFault(mended, kept));
  await tester.run(EXIT.ok, "verify", mended);
}

async function checkDiff(tester: CommandTester): Promise<void> {
  const { folder, model } = tester.world;
  const backup = tester.newFolder();
  await tester.run(EXIT.ok, "backup", folder, backup);
  const same = await tester.object(readingExit(tester), "diff", folder, backup);
  tester.equal("diff with a backup", same["equal"], true);
  const voxel: Position = [5, 60, 0, 0];
  const world = await openWorldEngine(new NodeDisk(backup), { autosave: false, generators: ALL_GENERATORS });
  await world.set(voxel, 11);
  await world.close();
  if (model.losesJournal) return;
  const other = await tester.object(EXIT.failed, "diff", folder, backup);
  const listed = (other["differences"] as readonly { kind: string; chunk?: Position }[] | undefined) ?? [];
  const shape = shapeOf(model.recipe);
  const chunk = chunkOfVoxel(shape, voxel).slice(0, dimensionsOf(shape));
  tester.equal(
    "diff after an edit",
    listed.map(({ kind, chunk: at }) => [kind, at]),
    [["chunk", chunk]],
  );
}

async function checkLog(tester: CommandTester): Promise<void> {
  const { folder, model } = tester.world;
  const log = await tester.object(EXIT.ok, "log", folder);
  const listed =
    (log["generations"] as readonly { generation: number; name: string | null }[] | undefined) ?? [];
  tester.equal("log begins with the live generation", listed[0]?.generation, model.generation);
  const named = listed.filter(({ name }) => name !== null).map(({ name, generation }) => [name, generation]);
  tester.equal("names in the log", named, [...model.names]);
}

async function checkTag(tester: CommandTester): Promise<void> {
  const { model } = tester.world;
  const folder = await tester.copy();
  if (model.losesJournal) {
    await tester.run(EXIT.failed, "tag", folder, "keep-this");
    return;
  }
  const tagged = await tester.object(EXIT.ok, "tag", folder, "keep-this");
  const log = await tester.object(EXIT.ok, "log", folder);
  const listed =
    (log["generations"] as readonly { generation: number; name: string | null }[] | undefined) ?? [];
  tester.equal("tag", listed.find(({ name }) => name === "keep-this")?.generation, tagged["generation"]);
  tester.fail(await voxelFault(folder, model.edits));
  await tester.run(EXIT.ok, "tag", folder, "keep-this", "--remove");
}

async function checkConvert(tester: CommandTester): Promise<void> {
  const { folder, model } = tester.world;
  for (const format of FORMATS[model.recipe.dimensions]) {
    const converted = tester.newFolder();
    const moved = await tester.object(
      undefined,
      "convert",
      folder,
      converted,
      "--to",
      format,
      "--accept-loss",
    );
    const losses = (moved["losses"] as readonly { readonly what: string }[] | undefined) ?? [];
    tester.equal(
      "convert lost the journal",
      losses.some(({ what }) => what === "journal"),
      model.losesJournal,
    );
    if (format === "v3") {
      await tester.run(EXIT.ok, "verify", converted);
      tester.fail(await voxelFault(converted, visibleEdits(tester)));
      continue;
    }
    const back = tester.newFolder();
    await tester.run(EXIT.ok, "info", converted);
    // A tile save has no checksums, so it can be neither verified nor repaired.
    for (const command of ["verify", "repair"]) {
      await tester.run(format === "tilesave" ? EXIT.failed : EXIT.ok, command, converted);
    }
    await tester.object(undefined, "convert", converted, back, "--accept-loss");
    tester.fail(await voxelFault(back, visibleEdits(tester)));
  }
}

async function checkBackup(tester: CommandTester): Promise<void> {
  const { folder, model } = tester.world;
  const backup = tester.newFolder();
  const found = await tester.object(EXIT.ok, "backup", folder, backup);
  tester.equal("backup", [found["generation"], found["changes"]], [model.generation, model.journaled]);
  tester.fail(await voxelFault(backup, model.edits));
  await tester.run(EXIT.ok, "verify", backup);
}

async function checkRestore(tester: CommandTester): Promise<void> {
  const { folder, model } = tester.world;
  const restored = tester.newFolder();
  await tester.run(EXIT.ok, "restore", folder, restored);
  tester.fail(await voxelFault(restored, model.edits));
  const [from] = [...model.saved.keys()];
  const [edit] = [...(model.saved.get(from ?? -1)?.values() ?? [])];
  if (from === undefined || edit === undefined || model.recipe.state === "compacted") return;
  const [[x, y, z, w]] = edit;
  const box = `${x},${y},${z},${w}..${x + 1},${y + 1},${z + 1},${w + 1}`;
  const rolledBack = await tester.copy();
  const words = ["restore", rolledBack, "--box", box, "--from", String(from)];
  if (model.losesJournal) {
    await tester.run(EXIT.failed, ...words);
    return;
  }
  await tester.run(EXIT.ok, ...words);
  // Only the chunk around the voxel is rolled back.
  const shape = shapeOf(model.recipe);
  const chunk = `${chunkOfVoxel(shape, [x, y, z, w])}`;
  const isInside = ([voxel]: Placement): boolean => `${chunkOfVoxel(shape, voxel)}` === chunk;
  tester.fail(await voxelFault(rolledBack, [...(model.saved.get(from)?.values() ?? [])].filter(isInside)));
  tester.fail(
    await voxelFault(
      rolledBack,
      model.edits.filter((placed) => !isInside(placed)),
    ),
  );
}

async function checkServe(tester: CommandTester): Promise<void> {
  const { model } = tester.world;
  const folder = await tester.copy();
  if (model.recipe.isForeign) await tester.run(EXIT.failed, "serve", folder, "--port", "0");
  const own = model.recipe.isForeign ? ["--generators", GENERATORS_MODULE] : [];
  const server = new RunningCli(["serve", folder, "--port", "0", "--json", ...own]);
  tester.runs++;
  const { url, token } = JSON.parse((await server.firstLine) || "{}") as { url?: string; token?: string };
  if (url === undefined || token === undefined) {
    await server.end("SIGTERM");
    return tester.fail("serve did not say where it listens");
  }
  const [voxel, block] = model.edits[0] ?? ([[1, 30, 0, 0], 0] as const);
  const client = connectReplica(url, { name: "Ada", token, interest: { center: voxel, radiusChunks: 1 } });
  await client.complete();
  tester.equal(`served voxel [${voxel}]`, client.voxelAt(voxel), block);
  await client.close();
  tester.equal("exit code of serve", await server.end("SIGTERM"), EXIT.ok);
  tester.fail(await voxelFault(folder, model.edits));
}

async function checkCluster(tester: CommandTester): Promise<void> {
  const { model } = tester.world;
  const folder = await tester.copy();
  const [shards, name] = [await tester.copy(), `w${model.recipe.seed}-${Object.keys(CHECKS).length}`];
  const words = ["cluster", "create", name, folder, "--shards", shards, "--copies", "1"];
  if (model.losesJournal) {
    await tester.run(EXIT.failed, ...words);
    return;
  }
  const made = await tester.object(EXIT.ok, ...words);
  tester.equal("cluster create", [made["world"], made["name"]], [name, model.recipe.name]);
  const status = await tester.object(EXIT.ok, "cluster", "status", name, "--copies", "1");
  tester.equal("cluster status", (status["shards"] as readonly unknown[] | undefined)?.length, 1);
  const [backup, one] = [tester.newFolder(), tester.newFolder()];
  await tester.object(EXIT.ok, "cluster", "backup", name, backup, "--shards", shards);
  await tester.object(EXIT.ok, "cluster", "restore", name, backup, "--shards", shards, "--copies", "1");
  // No node has run, and folding a journal would need the generator of the world.
  await tester.object(EXIT.ok, "cluster", "back-to-one", name, one, "--shards", shards, "--saves-only");
  tester.fail(await voxelFault(one, model.edits));
}

async function checkToken(tester: CommandTester): Promise<void> {
  const file = `${tester.newFolder()}.txt`;
  const made = await tester.object(EXIT.ok, "token", "--secret-file", file, "--new-secret", "--player", "7");
  tester.equal(
    "token",
    [made["playerId"], made["role"], String(made["token"]).split(".").length],
    ["7", "builder", 3],
  );
  await tester.run(EXIT.usage, "token", "--player", "seven");
}

async function checkReplay(tester: CommandTester): Promise<void> {
  const pieces: Uint8Array[] = [];
  const recorder = new Wire1Recorder((bytes) => pieces.push(bytes), 0);
  recorder.datagram({ address: "10.0.0.1", port: 7_000 }, Uint8Array.of(1, 2, 3), 5);
  recorder.tick(100);
  const recording = Buffer.concat(pieces);
  const file = `${tester.newFolder()}.ow1r`;
  await writeFile(file, recording);
  const counted = { ticks: 1, datagrams: 1, addresses: 1, durationMs: 100 };
  for (const world of [[], [tester.world.folder, "--dry-run"]]) {
    const { ticks, datagrams, addresses, durationMs } = await tester.object(
      EXIT.ok,
      "replay",
      file,
      ...world,
    );
    tester.equal("replay", { ticks, datagrams, addresses, durationMs }, counted);
  }
  await writeFile(file, recording.subarray(0, -1));
  await tester.object(EXIT.loss, "replay", file);
  await writeFile(file, "no recording");
  await tester.run(EXIT.failed, "replay", file);
}

async function checkBench(tester: CommandTester): Promise<void> {
  const measured = await tester.object(EXIT.ok, "bench", tester.world.folder);
  if (!(Number(measured["writeBytesPerSecond"]) > 0)) tester.fail("bench measured nothing");
  const left = (await readdir(tester.world.folder)).filter((name) => name.includes("bench"));
  tester.equal("files that tester left", left, []);
}

async function checkCompletion(tester: CommandTester): Promise<void> {
  for (const shell of ["bash", "zsh", "fish"]) {
    const { output } = await tester.run(EXIT.ok, "completion", shell);
    const missing = COMMANDS.map(({ name }) => name).filter((name) => !output.includes(name));
    tester.equal(`commands that ${shell} does not complete`, missing, []);
  }
}
