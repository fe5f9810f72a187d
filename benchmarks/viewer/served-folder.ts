import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { HYPERCUBE_CHUNKS, type Position } from "@orthant/core";
import { voxelOfIndex } from "@orthant/core/lattice";
import { NodeDisk } from "@orthant/disk/node";
import { Prng } from "@orthant/testkit";
import { orthantCommand } from "@orthant/testkit/process";
import { openWorldEngine, type WorldEngine } from "@orthant/world/engine";

const ORTHANT = orthantCommand();
const SECRET = "the secret of a benchmark, long enough to sign tokens";

/** The output of `orthant serve` when it listens. */
interface Announcement {
  readonly port: number;
  readonly token: string;
}

/** A world in a temporary folder, served by the command line in a separate process. */
export class ServedFolder {
  readonly #folder: string;
  #process: ChildProcess | undefined;
  #port = 0;
  #token = "";

  private constructor(folder: string) {
    this.#folder = folder;
  }

  /** Creates a world from a template. */
  static async create(template: string): Promise<ServedFolder> {
    const folder = await mkdtemp(join(tmpdir(), "orthant-viewer-"));
    await writeFile(join(folder, "secret.txt"), SECRET);
    const made = spawn(process.execPath, [
      ORTHANT,
      "create",
      join(folder, "world"),
      "--template",
      template,
      "--seed",
      "7",
    ]);
    const [exitCode] = (await once(made, "exit")) as [number | null];
    if (exitCode !== 0) throw new Error(`orthant create ended with ${exitCode}`);
    return new ServedFolder(folder);
  }

  /** Address of the page. */
  get url(): string {
    return `http://127.0.0.1:${this.#port}`;
  }

  /** Address for clients. */
  get worldUrl(): string {
    return `ws://127.0.0.1:${this.#port}`;
  }

  /** Access token of a visitor. */
  get token(): string {
    return this.#token;
  }

  /** Edits the world while it is not served. */
  async change(work: (world: WorldEngine) => Promise<unknown>): Promise<void> {
    const world = await openWorldEngine(new NodeDisk(join(this.#folder, "world")));
    await work(world);
    await world.close();
  }

  /** Serves the world; at the same port as before, if any. */
  async serve(): Promise<void> {
    const options = [
      "--port",
      String(this.#port),
      "--secret-file",
      join(this.#folder, "secret.txt"),
      "--json",
    ];
    const served = spawn(process.execPath, [ORTHANT, "serve", join(this.#folder, "world"), ...options], {
      stdio: ["ignore", "pipe", "ignore"],
    });
    this.#process = served;
    let said = "";
    for await (const part of served.stdout) {
      said += String(part);
      if (said.trimEnd().endsWith("}")) break;
    }
    const { port, token } = JSON.parse(said) as Announcement;
    this.#port = port;
    this.#token ||= token;
  }

  /** Kills the server, like a power cut. */
  async kill(): Promise<void> {
    const served = this.#process;
    this.#process = undefined;
    if (served === undefined || served.exitCode !== null) return;
    const gone = once(served, "exit");
    served.kill("SIGKILL");
    await gone;
  }

  /** Kills the server and removes the world. */
  async remove(): Promise<void> {
    await this.kill();
    await rm(this.#folder, { recursive: true });
  }
}

/** Edits a few voxels in `chunkCount` chunks around the origin, like people who build. */
export async function buildAround(
  world: WorldEngine,
  chunkCount: number,
  radiusChunks: number,
): Promise<void> {
  const prng = new Prng(3);
  const chunks = new Map<string, Position>();
  while (chunks.size < chunkCount) {
    const at = (): number => prng.below(radiusChunks * 2 + 1) - radiusChunks;
    const position: Position = [at(), at(), at(), at()];
    chunks.set(String(position), position);
  }
  for (const position of chunks.values()) {
    const voxels = Array.from({ length: 12 }, () => ({
      voxel: voxelOfIndex(HYPERCUBE_CHUNKS, position, prng.below(HYPERCUBE_CHUNKS.volume)),
      block: 1 + prng.below(15),
    }));
    await world.edit(voxels);
  }
}
