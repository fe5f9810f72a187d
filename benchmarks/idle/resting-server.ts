import { type ChildProcess, execFileSync, fork, spawn } from "node:child_process";
import { once } from "node:events";
import { readdirSync, readFileSync, statSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { type AddressInfo, connect as connectSocket, createServer, type Server } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { connectReplica } from "@orthant/client/node";
import type { WorldReplica } from "@orthant/client/replica";
import { orthantCommand } from "@orthant/testkit/process";

const ORTHANT = orthantCommand();
const SIMULATED = new URL("./simulated-server.js", import.meta.url);
const RADIUS_CHUNKS = 3;
/** Clock ticks of Linux in a second, in which it counts processor time. */
const TICKS_PER_SECOND = 100;

/** What a process has used so far. */
export interface RestingUse {
  readonly cpuMs: number;
  /** Calls that write to files, sockets and wake-up counters, and what they wrote. */
  readonly writeCalls: number;
  readonly writtenBytes: number;
  /** Bytes that the process made the disk write. */
  readonly diskBytes: number;
  /** Times at which a file of the world was found changed. */
  readonly fileChanges: number;
  /** Bytes that went to players. */
  readonly sentBytes: number;
}

/** A server of a small world on a real disk, in a process of its own, and perhaps players who do nothing. */
export class RestingServer {
  readonly #folder: string;
  readonly #process: ChildProcess;
  readonly #players: readonly WorldReplica[];
  readonly #proxy: CountingProxy;
  #files: ReadonlyMap<string, string>;
  #fileChanges = 0;

  private constructor(
    folder: string,
    process: ChildProcess,
    proxy: CountingProxy,
    players: readonly WorldReplica[],
  ) {
    this.#folder = folder;
    this.#process = process;
    this.#proxy = proxy;
    this.#players = players;
    this.#files = statesOf(join(folder, "world"));
  }

  /** Starts a server of a new world, and connects players. */
  static async start({
    isSimulated,
    players,
  }: {
    readonly isSimulated: boolean;
    readonly players: number;
  }): Promise<RestingServer> {
    const folder = await mkdtemp(join(tmpdir(), "orthant-idle-"));
    const world = join(folder, "world");
    execFileSync(process.execPath, [ORTHANT, "create", world, "--template", "terrain"], {
      stdio: "ignore",
    });
    const { served, port } = isSimulated ? await simulated(world) : await servedBy(world);
    const proxy = await CountingProxy.to(port);
    const joined = Array.from({ length: players }, () =>
      connectReplica(`ws://127.0.0.1:${proxy.port}`, {
        interest: { center: [0, 0, 0, 0], radiusChunks: RADIUS_CHUNKS },
      }),
    );
    await Promise.all(joined.map((player) => player.complete()));
    return new RestingServer(folder, served, proxy, joined);
  }

  /** Looks which files of the world have changed since the last look. */
  look(): void {
    const now = statesOf(join(this.#folder, "world"));
    for (const path of new Set([...now.keys(), ...this.#files.keys()]))
      if (now.get(path) !== this.#files.get(path)) this.#fileChanges++;
    this.#files = now;
  }

  use(): RestingUse {
    const at = `/proc/${this.#process.pid}`;
    const io = new Map(
      Array.from(readFileSync(`${at}/io`, "utf8").matchAll(/(\w+): (\d+)/g), ([, name, value]) => [
        name,
        Number(value),
      ]),
    );
    const fields = readFileSync(`${at}/stat`, "utf8").split(") ").at(-1)?.split(" ") ?? [];
    return {
      cpuMs: ((Number(fields[11]) + Number(fields[12])) * 1_000) / TICKS_PER_SECOND,
      writeCalls: io.get("syscw") ?? Number.NaN,
      writtenBytes: io.get("wchar") ?? Number.NaN,
      diskBytes: io.get("write_bytes") ?? Number.NaN,
      fileChanges: this.#fileChanges,
      sentBytes: this.#proxy.sentBytes,
    };
  }

  /** Ends the server and its players, and removes the world. */
  async end(): Promise<void> {
    for (const player of this.#players) await player.close();
    this.#proxy.close();
    const gone = once(this.#process, "exit");
    this.#process.kill("SIGKILL");
    await gone;
    await rm(this.#folder, { recursive: true });
  }
}

interface Served {
  readonly served: ChildProcess;
  readonly port: number;
}

async function simulated(world: string): Promise<Served> {
  const served = fork(SIMULATED, [world]);
  const [port] = (await once(served, "message")) as [number];
  return { served, port };
}

async function servedBy(world: string): Promise<Served> {
  const served = spawn(
    process.execPath,
    [ORTHANT, "serve", world, "--port", "0", "--json", "--anonymous", "builder"],
    { stdio: ["ignore", "pipe", "ignore"] },
  );
  let said = "";
  while (!said.trimEnd().endsWith("}")) said += String((await once(served.stdout, "data"))[0]);
  return { served, port: (JSON.parse(said) as { readonly port: number }).port };
}

/** Returns the size and time of each file under a folder. */
function statesOf(folder: string): ReadonlyMap<string, string> {
  const states = new Map<string, string>();
  for (const entry of readdirSync(folder, { recursive: true })) {
    const found = statSync(join(folder, String(entry)), { bigint: true, throwIfNoEntry: false });
    if (found?.isFile() === true) states.set(String(entry), `${found.size} ${found.mtimeNs}`);
  }
  return states;
}

/** Passes connections on to a port, and counts what comes back. */
class CountingProxy {
  readonly #server: Server;
  sentBytes = 0;

  private constructor(server: Server) {
    this.#server = server;
  }

  static async to(port: number): Promise<CountingProxy> {
    const server = createServer();
    const proxy = new CountingProxy(server);
    server.on("connection", (socket) => {
      const onward = connectSocket(port, "127.0.0.1");
      onward.on("data", (bytes) => {
        proxy.sentBytes += bytes.length;
      });
      socket.on("error", () => onward.destroy());
      onward.on("error", () => socket.destroy());
      socket.pipe(onward).pipe(socket);
    });
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    return proxy;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  close(): void {
    this.#server.close();
  }
}
