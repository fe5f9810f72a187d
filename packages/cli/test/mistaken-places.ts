import { spawn } from "node:child_process";
import { cp, mkdir, readdir, readFile, rm, truncate, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { GeneratorRegistry } from "@orthant/core";
import { FLAT_DEFAULTS, flatGenerator, generatorRef } from "@orthant/core/generate";
import { NodeDisk } from "@orthant/disk/node";
import { segmentHeader } from "@orthant/save/internal";
import { orthantCommand } from "@orthant/testkit/process";
import { createWorldEngine, openWorldEngine } from "@orthant/world/engine";
import { capture, temporaryFolder } from "./captured.ts";
import { makeSampleWorld } from "./sample-world.ts";

/** The built program. */
export const ORTHANT: string = orthantCommand();

/**
 * A folder full of paths that people name by mistake. `hills` is intact; `hills-served` is open in another
 * process; {@link DAMAGES} describes the others.
 */
export interface MistakenPlaces {
  readonly root: string;
  readonly server: { readonly pid: number; readonly port: string; readonly stop: () => Promise<void> };
}

type Harm = (folder: string) => Promise<void>;

/** What was done to a copy of `hills`, by the name of the copy. */
const DAMAGES: Readonly<Record<string, Harm>> = {
  "hills-manifest": (folder) => writeFile(join(folder, "manifest.json"), "{"),
  "hills-newer": async (folder) => {
    const file = join(folder, "manifest.json");
    const text = await readFile(file, "utf8");
    await writeFile(file, text.replace(/"version": \d+/, '"version": 99'));
  },
  "hills-no-manifest": (folder) => rm(join(folder, "manifest.json")),
  "hills-index": async (folder) => changeByte(await newestIn(join(folder, "index")), -1),
  "hills-pack": async (folder) => changeByte(await newestIn(join(folder, "data")), 70),
  "hills-no-pack": async (folder) => rm(await newestIn(join(folder, "data"))),
  "hills-players": async (folder) => truncate(await newestIn(folder, "players."), 10),
};

/** Creates all of them. */
export async function makeMistakenPlaces(): Promise<MistakenPlaces> {
  const root = await temporaryFolder();
  const at = (name: string): string => join(root, name);
  const sample = await makeSampleWorld();
  await cp(sample, at("hills"), { recursive: true });
  for (const [name, harm] of Object.entries(DAMAGES)) {
    await cp(sample, at(name), { recursive: true });
    await harm(at(name));
  }
  await cp(sample, at("hills-served"), { recursive: true });
  await makeDamagedJournal(sample, at("hills-journal"));
  await makeForeignWorld(at("foreign"), { id: "my-game:islands" });
  await makeForeignWorld(at("flat-99"), { version: 99 });
  await capture(["create", at("isles"), "--seed", "7"]);
  await capture(["convert", at("isles"), at("polychora"), "--to", "flat", "--accept-loss"]);
  await makeLargeWorld(sample, at("hills-large"));
  await mkdir(at("empty"));
  await mkdir(at("photos"));
  await writeFile(at("photos/beach.jpg"), "no picture");
  await writeFile(at("notes.txt"), "milk\n");
  await writeFile(at("short.txt"), "12345\n");
  return { root, server: await serve(at("hills-served")) };
}

/** Creates a world whose process ended without closing it, and whose journal then lost a byte. */
async function makeDamagedJournal(sample: string, folder: string): Promise<void> {
  await cp(sample, `${folder}-open`, { recursive: true });
  const world = await openWorldEngine(new NodeDisk(`${folder}-open`), {
    durability: "journal",
    autosave: false,
  });
  for (let x = 0; x < 5; x++) await world.set([x, 120, 0, 0], 11);
  await cp(`${folder}-open`, folder, { recursive: true, filter: (name) => !name.includes("lock") });
  await world.close();
  await rm(`${folder}-open`, { recursive: true });
  await changeByte(await newestIn(join(folder, "journal")), segmentHeader.bytes);
}

/** Creates a world with a pack of some kilobytes. */
async function makeLargeWorld(sample: string, folder: string): Promise<void> {
  await cp(sample, folder, { recursive: true });
  const world = await openWorldEngine(new NodeDisk(folder));
  const edits = Array.from({ length: 4_096 }, (_, index) => ({
    voxel: [index % 16, 200 + (index >> 8), (index >> 4) % 16, 0] as const,
    block: 1 + ((Math.imul(index, 2_654_435_761) >>> 16) % 13),
  }));
  await world.edit(edits);
  await world.close();
}

/** Creates a world of another program, with a generator that only it has, or with another version of ours. */
async function makeForeignWorld(folder: string, change: { id?: string; version?: number }): Promise<void> {
  const foreign = { ...flatGenerator, ...change };
  const generator = generatorRef(foreign, FLAT_DEFAULTS, 7n);
  const generators = new GeneratorRegistry([foreign]);
  await (await createWorldEngine(await NodeDisk.create(folder), { generator }, { generators })).close();
}

async function newestIn(folder: string, prefix = ""): Promise<string> {
  const names = (await readdir(folder)).filter((name) => name.startsWith(prefix)).sort();
  return join(folder, names.at(-1) ?? "");
}

/** Changes one byte of a file, counted from its start or, below 0, from its end. */
async function changeByte(file: string, at: number): Promise<void> {
  const bytes = await readFile(file);
  const offset = at < 0 ? bytes.length + at : at;
  bytes[offset] = (bytes[offset] ?? 0) ^ 0xff;
  await writeFile(file, bytes);
}

/** Serves a world in another process until it is stopped. */
async function serve(folder: string): Promise<MistakenPlaces["server"]> {
  const child = spawn(process.execPath, [ORTHANT, "serve", folder, "--port", "0"], {
    stdio: ["ignore", "pipe", "ignore"],
  });
  const ended = new Promise<void>((resolve) => child.once("close", () => resolve()));
  const port = await new Promise<string>((resolve) => {
    createInterface(child.stdout).once("line", (line) => resolve(/\d+$/.exec(line)?.[0] ?? ""));
  });
  const stop = async (): Promise<void> => {
    child.kill("SIGTERM");
    await ended;
  };
  return { pid: child.pid ?? 0, port, stop };
}
