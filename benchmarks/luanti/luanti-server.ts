import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { mkdir, readdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { delimiter, join, resolve } from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as delay } from "node:timers/promises";
import type { BlockPlacement, VoxelBox } from "@orthant/core";
import { LOOPBACK } from "@orthant/testkit/nats";
import { type BlockName, blockName } from "./rock.ts";

const GAMES = resolve("benchmarks", "luanti", "games");
const GAME = "orthant_bench";
const WORLD = `gameid = ${GAME}\nbackend = sqlite3\nplayer_backend = sqlite3\nauth_backend = sqlite3\n`;
const PROGRAMS = ["luantiserver", "minetestserver"];
/** Debian's folder of games is not in every path. */
const MORE_FOLDERS = ["/usr/games"];
const POLL_MS = 5;
const ANSWER_MS_MAX = 60_000;
/** A line of Luanti's profiler, with the number of saves in the last second and their time together. */
const SAVED = /Server: map saving \(sum\) \[ms\][ .]+\d+x +(\d+)/;

/** Orders for the mod in `games/orthant_bench`. */
type LuantiOrder =
  | { readonly kind: "emerge" | "isRunning" }
  | { readonly kind: "set" | "count"; readonly file: string }
  | { readonly kind: "bulk"; readonly file: string; readonly block: BlockName }
  | { readonly kind: "fill"; readonly block: BlockName };

/** Times of one order, measured by the mod: processor time is that of the whole process. */
export interface LuantiTime {
  readonly wallUs: number;
  readonly cpuUs: number;
}

/** A save as Luanti's own profiler measured it. */
export interface LuantiSave {
  readonly wallMs: number;
  readonly cpuMs: number;
}

/** Returns the path of Luanti's server. Throws if it is in none of the folders. */
export function findLuanti(folders: readonly string[] = programFolders()): string {
  const found = folders.flatMap((folder) => PROGRAMS.map((name) => join(folder, name))).find(existsSync);
  if (found === undefined) {
    throw new Error("no Luanti server here; install Debian's package minetest-server (or luanti-server)");
  }
  return found;
}

function programFolders(): readonly string[] {
  return [...(process.env["PATH"] ?? "").split(delimiter), ...MORE_FOLDERS];
}

/** Returns the name and version of a server, such as `Luanti 5.6.1`. Older ones call themselves Minetest. */
export function luantiVersion(program: string): string {
  const printed = execFileSync(program, ["--version"], { encoding: "utf8" });
  return `Luanti ${/\d+\.\d+\.\d+/.exec(printed)?.[0] ?? "of unknown version"}`;
}

/** A running server of Luanti, with the game of this folder and without players. */
export class LuantiServer {
  readonly #folder: string;
  readonly #process: ChildProcess;
  /** Callers that wait for the end of the next save. */
  #waiting: ((ms: number) => void)[] = [];
  #end: string | undefined;

  private constructor(folder: string, process: ChildProcess) {
    this.#folder = folder;
    this.#process = process;
    process.once("exit", (code, signal) => {
      this.#end = `Luanti ended with ${code ?? signal}; see ${join(folder, "log")}`;
    });
    if (process.stderr === null) throw new Error("Luanti has no output");
    createInterface(process.stderr).on("line", (line) => {
      const ms = SAVED.exec(line)?.[1];
      if (ms !== undefined) for (const done of this.#waiting.splice(0)) done(Number(ms));
    });
  }

  /** Starts the program on the world in a folder, which it creates. Settings are added to those of every start. */
  static async start(
    program: string,
    folder: string,
    settings: Readonly<Record<string, number>> = {},
  ): Promise<LuantiServer> {
    await mkdir(join(folder, "world"), { recursive: true });
    await writeFile(join(folder, "world", "world.mt"), WORLD);
    const lines = Object.entries({
      mg_name: "singlenode",
      bind_address: "127.0.0.1",
      profiler_print_interval: 1,
      ...settings,
    }).map(([name, value]) => `${name} = ${value}\n`);
    await writeFile(join(folder, "conf"), lines.join(""));
    const paths = ["--world", join(folder, "world"), "--config", join(folder, "conf")];
    const port = String(await LOOPBACK.freePort());
    const running = spawn(
      program,
      [...paths, "--gameid", GAME, "--port", port, "--logfile", join(folder, "log"), "--info"],
      {
        // Luanti also reads files in the home folder.
        env: { ...process.env, HOME: folder, MINETEST_SUBGAME_PATH: GAMES },
        stdio: ["ignore", "ignore", "pipe"],
      },
    );
    const server = new LuantiServer(folder, running);
    await server.ask({ kind: "isRunning" });
    return server;
  }

  /** The database with the map. */
  get mapFile(): string {
    return join(this.#folder, "world", "map.sqlite");
  }

  /** Writes voxels into a file for the mod. Returns the name of the file. */
  async give(placements: readonly BlockPlacement<3>[]): Promise<string> {
    const lines = placements.map(({ position, block }) => `${position.join(" ")} ${blockName(block ?? 0)}\n`);
    await writeFile(join(this.#folder, "world", "voxels"), lines.join(""));
    return "voxels";
  }

  /** Has the mod carry out an order, perhaps in a box, and resolves with its report. */
  async ask(order: LuantiOrder, within?: VoxelBox<3>): Promise<LuantiTime & { readonly found: number }> {
    const [orderFile, reportFile] = ["order.json", "report.json"].map((name) =>
      join(this.#folder, "world", name),
    ) as [string, string];
    await rm(reportFile, { force: true });
    const corners = within && { from: luantiVector(within.min, 0), to: luantiVector(within.max, -1) };
    await writeFile(`${orderFile}.new`, JSON.stringify({ ...order, ...corners }));
    await rename(`${orderFile}.new`, orderFile);
    const startMs = performance.now();
    while (!existsSync(reportFile)) {
      if (this.#end !== undefined) throw new Error(this.#end);
      if (performance.now() - startMs > ANSWER_MS_MAX)
        throw new Error(`no answer to ${JSON.stringify(order)}`);
      await delay(POLL_MS);
    }
    return JSON.parse(await readFile(reportFile, "utf8"));
  }

  /**
   * Waits for Luanti's next save. Its processor time is what the process takes until then beyond `idleShare` of a core,
   * which it takes without any work.
   */
  async nextSave(idleShare = 0): Promise<LuantiSave> {
    const [startMs, startNs] = [performance.now(), await this.#cpuNs()];
    const wallMs = await new Promise<number>((done, fail) => {
      const timer = setTimeout(() => fail(new Error(this.#end ?? "Luanti did not save")), ANSWER_MS_MAX);
      this.#waiting.push((ms) => {
        clearTimeout(timer);
        done(ms);
      });
    });
    const cpuMs = ((await this.#cpuNs()) - startNs) / 1e6;
    return { wallMs, cpuMs: cpuMs - idleShare * (performance.now() - startMs) };
  }

  /** Waits for a save without work, and returns the share of a core that the process takes meanwhile. */
  async idleShare(): Promise<number> {
    const startMs = performance.now();
    const { cpuMs } = await this.nextSave();
    return cpuMs / (performance.now() - startMs);
  }

  /** Kills the process at once. */
  async kill(): Promise<void> {
    if (this.#end !== undefined) return;
    const exit = once(this.#process, "exit");
    this.#process.kill("SIGKILL");
    await exit;
  }

  /** Processor time of all threads so far. */
  async #cpuNs(): Promise<number> {
    const tasks = `/proc/${this.#process.pid}/task`;
    const times = (await readdir(tasks)).map((task) => readFile(join(tasks, task, "schedstat"), "utf8"));
    return (await Promise.all(times)).reduce((sum, text) => sum + Number(text.split(" ")[0]), 0);
  }
}

function luantiVector([x = 0, y = 0, z = 0]: readonly number[], more: number): object {
  return { x: x + more, y: y + more, z: z + more };
}
