import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { cp, mkdtemp, readdir, readFile, rm, symlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { openWorld } from "orthant";
import { expect, onTestFinished, test } from "vitest";

const EXAMPLE = fileURLToPath(new URL("../survival", import.meta.url));
const MODULES = fileURLToPath(new URL("../../node_modules", import.meta.url));
const LINES_MAX = 450;
const HOUSE_VOXELS = 2_000;
const GIFT_PLANKS = 2_500;

/** Copies the example with its dependencies installed, as a user has it. */
async function copyOfExample(): Promise<string> {
  const parent = await mkdtemp(join(tmpdir(), "orthant-survival-"));
  onTestFinished(() => rm(parent, { recursive: true }));
  const folder = join(parent, "survival");
  await cp(EXAMPLE, folder, { recursive: true });
  await symlink(MODULES, join(folder, "node_modules"));
  return folder;
}

/** A program of the example, whose lines a test waits for. */
class Program {
  readonly lines: string[] = [];
  readonly ended: Promise<unknown>;
  readonly #process: ChildProcess;
  readonly #waits = new Set<() => void>();

  constructor(folder: string, ...parameters: readonly string[]) {
    this.#process = spawn(process.execPath, parameters, {
      cwd: folder,
      stdio: ["ignore", "pipe", "inherit"],
    });
    this.ended = once(this.#process, "close").then(() => this.#look());
    onTestFinished(() => void this.#process.kill("SIGKILL"));
    if (this.#process.stdout === null) throw new Error("there is no output");
    createInterface({ input: this.#process.stdout }).on("line", (line) => {
      this.lines.push(line);
      this.#look();
    });
  }

  /** Resolves with the first group of the first line that matches. */
  async line(pattern: RegExp): Promise<string> {
    for (;;) {
      const found = this.lines.map((line) => pattern.exec(line)).find((match) => match !== null);
      if (found !== undefined) return found[1] ?? found[0];
      if (this.#process.exitCode !== null) throw new Error(`ended after: ${this.lines.join("\n")}`);
      await new Promise<void>((resolve) => this.#waits.add(resolve));
    }
  }

  async killHard(): Promise<void> {
    this.#process.kill("SIGKILL");
    await this.ended;
  }

  #look(): void {
    for (const resolve of this.#waits) resolve();
    this.#waits.clear();
  }
}

test("the survival example keeps a house and its player's planks through kill -9", async () => {
  const folder = await copyOfExample();
  const first = new Program(folder, "server.mjs", "world", "0");
  const address = await first.line(/^playing at (.*)$/);
  const [ada, bob] = [await first.line(/^Ada's token: (.*)$/), await first.line(/^Bob's token: (.*)$/)];

  const builder = new Program(folder, "builder.mjs", address, ada);
  await builder.line(/^500 applied$/);
  await first.killHard();
  const second = new Program(folder, "server.mjs", "world", new URL(address).port);
  await second.line(/^playing at/);

  const counts = JSON.parse(await builder.line(/^the house stands: (.*)$/)) as Record<string, number>;
  const { applied = 0, duplicate = 0, unchanged = 0, ...others } = counts;
  expect(others).toEqual({});
  expect(applied + duplicate + unchanged).toBe(HOUSE_VOXELS);
  expect(await builder.line(/^at the spawn: (.*)$/)).toBe("rejected, The spawn is protected.");

  const watcher = new Program(folder, "watcher.mjs", address, bob);
  expect(await watcher.line(/^planks in sight: (.*)$/)).toBe("2000 of 2000");
  const steps = Number(await watcher.line(/^sheep: 5, steps: (\d+)$/));
  // Five sheep make ten steps a second for two seconds; a busy machine may merge some.
  expect(steps).toBeGreaterThan(40);

  await Promise.all([builder.ended, watcher.ended]);
  await second.killHard();
  const { hills, house, PLANK } = (await import(join(folder, "land.mjs"))) as {
    hills: never;
    house: (x: number, y: number, z: number) => Iterable<readonly [number, number, number]>;
    PLANK: number;
  };
  const world = await openWorld(join(folder, "world"), {
    dimensions: 3,
    readOnly: true,
    generators: [hills],
  });
  const blocks = await Promise.all(Array.from(house(30, 12, 30), (position) => world.get(position)));
  expect(blocks.filter((block) => block === PLANK)).toHaveLength(HOUSE_VOXELS);
  const inventory = JSON.parse(new TextDecoder().decode(world.player(1n)?.inventory)) as Record<
    string,
    number
  >;
  // Each edit and the plank that it costs are one transaction, also when the server dies in the middle.
  expect(inventory[PLANK]).toBe(GIFT_PLANKS - HOUSE_VOXELS);
  await world.close();
}, 240_000);

test("the survival example has sand, water, a chest, a furnace and a wolf", async () => {
  const folder = await copyOfExample();
  const server = new Program(folder, "server.mjs", "world", "0");
  const address = await server.line(/^playing at (.*)$/);
  const player = new Program(folder, "player.mjs", address, await server.line(/^Ada's token: (.*)$/));
  expect(await player.line(/^\[22,25,12\] (.*)$/)).toBe("rejected: You do not carry enough of it.");
  expect(await player.line(/^sand on the ground: (.*)$/)).toBe("true");
  expect(Number(await player.line(/^water: (\d+) voxels$/))).toBeGreaterThan(20);
  expect(await player.line(/^chest: (.*)$/)).toBe('{"plank":20}, furnace: {"sand":0,"glass":1}');
  const [from = [], to = []] = (await player.line(/^the wolf came from (.*)$/))
    .split(" to ")
    .map((position) => position.split(", ").map(Number));
  // The player is at the spawn, [0, 20, 0].
  const farness = ([x = 0, , z = 0]: readonly number[]): number => Math.hypot(x, z);
  expect(farness(to)).toBeLessThan(farness(from) - 5);
  await player.ended;
  await server.killHard();
}, 120_000);

test("the survival example has fewer than 450 lines of code", async () => {
  const files = (await readdir(EXAMPLE)).filter((name) => name.endsWith(".mjs"));
  const texts = await Promise.all(files.map((name) => readFile(join(EXAMPLE, name), "utf8")));
  expect(texts.join("").split("\n").length).toBeLessThan(LINES_MAX);
});
