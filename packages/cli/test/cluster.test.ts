import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { EXIT } from "@orthant/cli";
import { connectReplica } from "@orthant/client/node";
import type { TimeSource } from "@orthant/core";
import { NodeDisk } from "@orthant/disk/node";
import { issueToken } from "@orthant/server";
import { NatsCluster, TEST_CREDENTIALS } from "@orthant/testkit/nats";
import { orthantCommand } from "@orthant/testkit/process";
import { openWorldEngine } from "@orthant/world/engine";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { capture, temporaryFolder } from "./captured.ts";
import { makeSampleWorld } from "./sample-world.ts";
import type { Announcement } from "./while-serving.ts";

const ORTHANT = orthantCommand();
const SECRET = "a secret of more than thirty-two letters";
const PLAYER = 7_351n;
const BUILT = [8, 100, 8, 0] as const;
const STANDING = [8.5, 101, 8.5, 0] as const;

interface Status {
  readonly shards: readonly {
    readonly shard: string;
    readonly owner: string | null;
    readonly term: number;
    readonly unsavedRecords: number;
    readonly journalBytes: number;
    readonly from: string | null;
    readonly box: { readonly min: readonly number[]; readonly max: readonly number[] } | null;
  }[];
  readonly nodes: readonly {
    readonly node: string;
    readonly shards: number;
    readonly isAlive: boolean;
    readonly isLeaving: boolean;
  }[];
}

interface Served extends Announcement {
  readonly part: string;
  readonly node: string;
}

let nats: NatsCluster;
beforeAll(async () => {
  nats = await NatsCluster.start(1);
}, 120_000);
afterAll(() => nats.dispose());

function environment(): Record<string, string> {
  return {
    ORTHANT_NATS: nats.urls.join(","),
    ORTHANT_NATS_USER: TEST_CREDENTIALS.user,
    ORTHANT_NATS_PASSWORD: TEST_CREDENTIALS.password,
    ORTHANT_SECRET: SECRET,
  };
}

/** The program in a separate process. */
class Program {
  readonly firstLine: Promise<string>;
  readonly closed: Promise<number | null>;
  errors = "";
  readonly #child: ChildProcess;

  constructor(...argv: readonly string[]) {
    const child = spawn(process.execPath, [ORTHANT, ...argv, "--copies", "1", "--json"], {
      env: { ...process.env, ...environment() },
      stdio: ["ignore", "pipe", "pipe"],
    });
    this.#child = child;
    child.stderr.on("data", (bytes) => {
      this.errors += String(bytes);
    });
    this.closed = once(child, "close").then(([code]) => code as number | null);
    const said = once(createInterface(child.stdout), "line").then(([line]) => String(line));
    const silent = this.closed.then(() => Promise.reject(new Error(`it said nothing but ${this.errors}`)));
    this.firstLine = Promise.race([said, silent]);
    silent.catch(() => undefined);
  }

  async kill(): Promise<void> {
    this.#child.kill("SIGKILL");
    await this.closed;
  }

  async stop(): Promise<number | null> {
    this.#child.kill("SIGINT");
    return this.closed;
  }
}

async function result<Shape>(...argv: readonly string[]): Promise<Shape> {
  const program = new Program(...argv);
  const shape = JSON.parse(await program.firstLine) as Shape;
  expect(await program.closed).toBe(EXIT.ok);
  return shape;
}

/** Connects a player with a token of its own: a node that is given a secret prints none. */
async function clientOf({ url }: Served, playerId = PLAYER): Promise<ReturnType<typeof connectReplica>> {
  const claims = { playerId, role: "builder", expiresInSeconds: 3_600 } as const;
  const token = await issueToken(claims, { secret: SECRET }, Date.now());
  return connectReplica(url, { name: "Ada", token, interest: { center: [...BUILT], radiusChunks: 1 } });
}

describe("a cluster of processes", () => {
  test("can be created, inspected, moved, split and drained while a player builds", async () => {
    const [source, shared] = [await makeSampleWorld(), await temporaryFolder()];
    expect(await result("cluster", "create", "town", source, "--shards", shared)).toMatchObject({
      world: "town",
      shard: "0",
    });
    const serve = (node: string): Program =>
      new Program(
        ...["serve", "town", "--cluster", "both", "--shards", shared, "--node", node, "--port", "0"],
      );
    const programs = { a: serve("a"), b: serve("b") };
    try {
      const a = JSON.parse(await programs.a.firstLine) as Served;
      const b = JSON.parse(await programs.b.firstLine) as Served;
      expect(a).toMatchObject({ world: "town", part: "both", node: "a", acknowledges: "durable" });
      const [builder, watcher] = [await clientOf(a), await clientOf(b, PLAYER + 1n)];
      for (const said of [a, b]) expect(JSON.stringify(said)).not.toMatch(/token|eyJ/);
      await Promise.all([builder.complete(), watcher.complete()]);
      const build = async (block: number): Promise<void> => {
        expect(await builder.setVoxel([...BUILT], block)).toMatchObject({ status: "applied" });
      };
      await build(13);
      const seen = new Promise<void>((resolve) => {
        watcher.onEntities(() => {
          if (watcher.entities.some(({ position }) => position[1] === STANDING[1])) resolve();
        });
      });
      builder.move({ position: [...STANDING], orientation: [0, 0, 0, 1] });
      await seen;

      const before = await result<Status>("cluster", "status", "town");
      const [first] = before.shards;
      expect(before.shards).toHaveLength(1);
      expect(["a", "b"]).toContain(first?.owner);
      expect(first).toMatchObject({ shard: "0", term: 3, from: null, box: null });
      expect(before.nodes.map(({ node, isAlive }) => [node, isAlive])).toEqual([
        ["a", true],
        ["b", true],
      ]);

      const [giver, successor] = first?.owner === "a" ? (["a", "b"] as const) : (["b", "a"] as const);
      expect(await result("cluster", "move", "town", "0", "--to", successor)).toEqual({
        ...{ world: "town", shard: "0", from: giver, owner: successor, term: 4 },
      });
      await build(12);

      const split = ["cluster", "split", "town", "0", "--box", "0,90,0..20,110,20", "--as", "house"];
      const made = await result<{ readonly box: object }>(...split);
      await build(11);
      expect((await result<Status>("cluster", "status", "town")).shards[1]).toMatchObject({
        ...{ shard: "house", owner: successor, from: "0", box: made.box },
      });

      await result("cluster", "drain", "town", successor);
      await build(14);
      const last = new Program("cluster", "drain", "town", giver);
      last.firstLine.catch(() => undefined);
      expect(await last.closed, "a drain of the last node").toBe(EXIT.failed);
      expect(last.errors).toContain(
        `no other node can take the shards of ${giver}: start one, or force the drain`,
      );
      const after = await result<Status>("cluster", "status", "town");
      expect(after.shards.map(({ owner }) => owner)).toEqual([giver, giver]);
      expect(after.nodes.find(({ node }) => node === successor)).toMatchObject({
        isAlive: true,
        isLeaving: true,
      });
      expect(await watcher.get([...BUILT]), "the view through the other gateway").toBe(14);
      const numbers = await (await fetch(`${{ a, b }[giver].url.replace("ws:", "http:")}/metrics`)).text();
      expect(numbers).toMatch(/^orthant_shard_term\{shard="house"\} \d+$/m);
      expect(numbers).toMatch(/^orthant_gateway_regions [1-9]/m);
      await Promise.all([builder.close(), watcher.close()]);
      expect(await programs[successor].stop()).toBe(EXIT.ok);
      expect(await programs[giver].stop()).toBe(EXIT.ok);
      expect(programs[giver].errors).toContain("released shard house");
      expect(programs.a.errors + programs.b.errors).not.toContain("could not claim");
    } finally {
      await Promise.all([programs.a.stop(), programs.b.stop()]);
    }
    const open = async (shard: string): ReturnType<typeof openWorldEngine> => {
      const folder = join(shared, "town/shards", shard);
      return openWorldEngine(new NodeDisk(join(folder, (await readdir(folder))[0] ?? "")));
    };
    const [house, town] = [await open("house"), await open("0")];
    expect(await house.get([...BUILT])).toBe(14);
    expect(town.player(PLAYER)?.position, "where the builder stood").toEqual([...STANDING]);
    await Promise.all([house.close(), town.close()]);
  }, 120_000);

  test("is backed up while a player builds, restored from that, and turned back into a single world", async () => {
    const [source, shared, folder] = [
      await makeSampleWorld(),
      await temporaryFolder(),
      await temporaryFolder(),
    ];
    const [backup, one, copy] = [join(folder, "backup"), join(folder, "one"), join(folder, "copy")];
    await result("cluster", "create", "keep", source, "--shards", shared);
    const serve = (): Program =>
      new Program(
        ...["serve", "keep", "--cluster", "both", "--shards", shared, "--node", "k", "--port", "0"],
      );
    const building = async (
      work: (build: (block: number) => Promise<void>) => Promise<void>,
    ): Promise<Program> => {
      const program = serve();
      const builder = await clientOf(JSON.parse(await program.firstLine) as Served);
      await builder.complete();
      await work(async (block) => {
        expect(await builder.setVoxel([...BUILT], block)).toMatchObject({ status: "applied" });
      });
      await builder.close();
      return program;
    };
    const isWhole = async (world: string): Promise<void> => {
      expect((await capture(["verify", world])).output).toBe("no damage: orthant, 0 notices\n");
    };
    const blockIn = async (world: string): Promise<number> => {
      const opened = await openWorldEngine(new NodeDisk(world), { readOnly: true });
      const block = await opened.get([...BUILT]);
      await opened.close();
      return block;
    };
    let program = await building(async (build) => {
      await build(13);
      await result("cluster", "split", "keep", "0", "--box", "0,90,0..20,110,20", "--as", "house");
      await build(12);
      const unsaved = async (): Promise<number | undefined> =>
        (await result<Status>("cluster", "status", "keep")).shards[1]?.unsavedRecords;
      while ((await unsaved()) !== 0);
      expect(await result("cluster", "backup", "keep", backup, "--shards", shared)).toMatchObject({
        ...{ world: "keep", shards: [{ shard: "0" }, { shard: "house" }] },
      });
      await build(11);
      const running = new Program("cluster", "back-to-one", "keep", one, "--shards", shared);
      running.firstLine.catch(() => undefined);
      expect(await running.closed).toBe(EXIT.failed);
      expect(running.errors).toContain("k of keep is running: stop all owners and gateways first");
    });
    // The last edit may be only in the journal.
    await program.kill();
    await result("cluster", "back-to-one", "keep", one, "--shards", shared);
    await isWhole(one);
    expect(await blockIn(one)).toBe(11);
    await result("cluster", "back-to-one", "keep", copy, "--shards", backup, "--saves-only");
    await isWhole(copy);
    expect(await blockIn(copy)).toBe(12);
    const restored = await result<{ before: string }>(
      "cluster",
      "restore",
      "keep",
      backup,
      "--shards",
      shared,
    );
    expect(restored).toMatchObject({ world: "keep", shards: ["0", "house"], droppedShards: [] });
    expect(await readdir(shared)).toEqual(["keep", restored.before]);
    program = await building(async (build) => build(14));
    expect(await program.stop()).toBe(EXIT.ok);
    expect(program.errors).not.toMatch(/lost|could not/);
    for (const shard of ["0", "house"]) {
      const terms = join(shared, "keep/shards", shard);
      await isWhole(join(terms, (await readdir(terms)).find((name) => /^e\d+$/.test(name)) ?? ""));
    }
  }, 120_000);

  test("keeps the shards of a stopped owner available when owners and gateways are separate", async () => {
    const [source, shared] = [await makeSampleWorld(), await temporaryFolder()];
    await result("cluster", "create", "port", source, "--shards", shared);
    const ownerOfPort = ["serve", "port", "--cluster", "owner", "--shards", shared, "--port", "0"];
    const owner = new Program(...ownerOfPort, "--node", "c");
    const gateway = new Program("serve", "port", "--cluster", "gateway", "--port", "0");
    let other: Program | undefined;
    let third: Program | undefined;
    try {
      const shown = JSON.parse(await owner.firstLine) as { readonly url: string };
      expect(shown).toMatchObject({ world: "port", part: "owner", node: "c" });
      const served = JSON.parse(await gateway.firstLine) as Served;
      expect(served).toMatchObject({ part: "gateway", node: null });
      const builder = await clientOf(served);
      await builder.complete();
      expect(await builder.setVoxel([...BUILT], 13)).toMatchObject({ status: "applied" });
      expect(await (await fetch(`${shown.url}/readyz`)).text()).toBe("ready\n");
      const numbers = await (await fetch(`${shown.url}/metrics`)).text();
      expect(numbers).toMatch(/^orthant_shard_term\{shard="0"\} \d+$/m);
      expect(numbers).toContain("orthant_shards_claimed_total 1");
      const address = served.url.replace("ws:", "http:");
      const all = numbers + (await (await fetch(`${address}/metrics`)).text());
      for (const file of ["prometheus-alerts.yaml", "grafana-dashboard.json"]) {
        const asked = await readFile(`docs/operations/${file}`, "utf8");
        for (const name of asked.match(/\borthant_\w+/g) ?? []) expect(all, file).toContain(`\n${name}`);
      }
      const twin = new Program(...ownerOfPort, "--node", "c");
      twin.firstLine.catch(() => undefined);
      expect(await twin.closed).toBe(EXIT.failed);
      expect(twin.errors).toContain(
        "another process is node c of port. Stop it, or give this one another name",
      );
      other = new Program(...ownerOfPort, "--node", "d");
      await other.firstLine;
      expect(await owner.stop()).toBe(EXIT.ok);
      expect(await builder.setVoxel([...BUILT], 12)).toMatchObject({ status: "applied" });
      third = new Program(...ownerOfPort, "--node", "e");
      await third.firstLine;
      await other.kill();
      expect(await builder.setVoxel([...BUILT], 11)).toMatchObject({ status: "applied" });
      const { nodes } = await result<Status>("cluster", "status", "port");
      expect(nodes.map(({ node, shards, isAlive }) => [node, shards, isAlive])).toEqual([
        ["c", 0, false],
        ["d", 0, false],
        ["e", 1, true],
      ]);
      await builder.close();
    } finally {
      await Promise.all([owner.stop(), gateway.stop(), other?.stop(), third?.stop()]);
    }
  }, 240_000);

  test("a node that starts before NATS waits for it, and ends by a signal meanwhile", async () => {
    const shared = await temporaryFolder();
    const [server] = nats.nodes;
    await server?.kill();
    const serve = (node: string): Program =>
      new Program(
        ...["serve", "village", "--cluster", "both", "--shards", shared, "--node", node, "--port", "0"],
      );
    const programs = [serve("a"), serve("b")] as const;
    try {
      for (const program of programs)
        await expect
          .poll(() => program.errors, { timeout: 30_000 })
          .toContain("waiting for NATS: connecting");
      const ended = expect(programs[1].firstLine).rejects.toThrow("waiting for NATS");
      await programs[1].stop();
      await ended;
      await server?.start();
      // The world is missing, which a node can only know from NATS.
      await expect(programs[0].firstLine).rejects.toThrow("the cluster has no world village");
    } finally {
      for (const program of programs) await program.stop();
    }
  }, 90_000);
});

test("a node with a wrong password says so, tries ever more slowly, and ends after two minutes", async () => {
  const shared = await temporaryFolder();
  let nowMs = 1_000_000;
  const time: TimeSource = {
    nowMs: () => nowMs,
    after: () => ({ cancel: () => undefined }),
    wait: (delayMs, callback) => {
      nowMs += delayMs;
      const timer = setImmediate(callback);
      return { cancel: () => clearImmediate(timer) };
    },
  };
  const guessed = { ...environment(), ORTHANT_NATS_PASSWORD: "guessed" };
  const argv = ["serve", "village", "--cluster", "owner", "--shards", shared, "--copies", "1", "--port", "0"];
  const { exitCode, output, errors } = await capture(argv, { environment: guessed, time });
  expect(exitCode).toBe(EXIT.failed);
  expect(output).toBe("");
  const said = "rejects the user orthant with this password";
  // When it begins to wait, and when it ends.
  expect(errors.split(said)).toHaveLength(3);
  expect(nowMs - 1_000_000).toBeGreaterThan(100_000);
  const refusals = nats.nodes[0]?.log.match(/authentication error/g) ?? [];
  expect(refusals.length).toBeGreaterThan(2);
  expect(refusals.length).toBeLessThan(20);
}, 60_000);

describe("orthant cluster", () => {
  const run = (...argv: readonly string[]): ReturnType<typeof capture> =>
    capture([...argv, "--copies", "1"], { environment: environment() });

  test.each<[what: string, argv: readonly string[], message: string]>([
    ["an unknown action", ["cluster", "merge", "town"], 'action: "merge" is not one of create, status'],
    ["an invalid world name", ["cluster", "status", "My Town"], "is not a name for a world"],
    ["a move without a shard", ["cluster", "move", "town"], "move needs a shard after the world"],
    ["a status of a shard", ["cluster", "status", "town", "0"], "status takes only a world"],
    ["a drain to a node", ["cluster", "drain", "town", "a", "--to", "b"], "--to is for move, not for drain"],
    ["a split without a box", ["cluster", "split", "town", "0", "--as", "x"], "split needs --box and --as"],
    ["a world without a folder", ["cluster", "create", "town", "x"], "create needs --shards"],
    ["an owner without a folder", ["serve", "town", "--cluster", "owner"], "--cluster needs --shards"],
    ["a node of no cluster", ["serve", "town", "--node", "a"], "--node needs --cluster"],
  ])("rejects %s", async (_what, argv, message) => {
    const { exitCode, errors } = await run(...argv);
    expect([exitCode, errors]).toEqual([EXIT.usage, expect.stringContaining(message)]);
  });

  test("says that no NATS server is configured, and how to configure one", async () => {
    const { exitCode, errors } = await capture(["cluster", "status", "town"]);
    expect([exitCode, errors]).toEqual([EXIT.usage, expect.stringContaining("use --nats or ORTHANT_NATS")]);
  });

  test("names what does not exist", async () => {
    const failing = async (...argv: readonly string[]): Promise<string> => {
      const { exitCode, errors } = await run(...argv);
      expect(exitCode).toBe(EXIT.failed);
      return errors;
    };
    expect(await failing("cluster", "status", "nowhere")).toContain("has no world nowhere");
    expect(await failing("serve", "nowhere", "--cluster", "gateway", "--port", "0")).toContain(
      "create it first",
    );
    const [source, shared] = [await makeSampleWorld(), await temporaryFolder()];
    const create = ["cluster", "create", "quiet", source, "--shards"];
    expect(await failing(...create, join(shared, "none"))).toContain("there is no folder");
    expect((await run(...create, shared)).exitCode).toBe(EXIT.ok);
    expect(await failing(...create, shared)).toContain("[ORT_EXISTS]");
    expect(await failing("cluster", "move", "quiet", "1")).toContain("has no shard 1; there are 0");
    expect(await failing("cluster", "move", "quiet", "0")).toContain("shard 0 has no owner");
    expect(await failing("cluster", "drain", "quiet", "z")).toContain("[ORT_BACKBONE_NO_RESPONDER]");
    const { output } = await run("cluster", "status", "quiet");
    expect(output).toMatch(
      /^shard {2}owner {2}term {2}unsaved {2}journal +voxels\n +0 +none +0 +0 +0 bytes +the rest/,
    );
  });
});
