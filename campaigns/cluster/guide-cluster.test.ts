import { type ChildProcess, execFile, spawn } from "node:child_process";
import { once } from "node:events";
import {
  chmodSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { promisify } from "node:util";
import { LOOPBACK } from "@orthant/testkit/nats";
import { expect, test } from "vitest";
import { GUIDE, GUIDE_USERS, GuideNats, HOSTS } from "./guide-nats.ts";

const TEST_MS = 240_000;
const PLAYER = resolve("build/campaigns/cluster/guide-player.js");
const MAIN = resolve("packages/cli/dist/main.js");
const UNIT = readFileSync("docs/operations/orthant-cluster.service", "utf8");
const SECRET = "a secret of more than thirty-two letters";
/** Node calls this variable, and a test must not inherit it. */
const { NODE_OPTIONS: _inherited, ...ENVIRONMENT } = process.env;

/** The blocks of shell commands in the guide. */
const BLOCKS = [...GUIDE.matchAll(/^```sh\n(?<text>.*?)^```$/gms)].map(
  (match) => match.groups?.["text"] ?? "",
);

/** Three hosts that are set up by the guide alone, with its files below a folder. */
class GuideHosts {
  readonly nats: GuideNats;
  readonly #folder: string;
  readonly #services = new Map<string, ChildProcess>();
  log = "";

  constructor(nats: GuideNats, folder: string) {
    this.nats = nats;
    this.#folder = folder;
    for (const path of ["bin", "etc/orthant", "srv/orthant", "backups", "var/lib/orthant"])
      mkdirSync(join(folder, path), { recursive: true });
    writeFileSync(join(folder, "bin/orthant"), `#!/bin/sh\nexec ${process.execPath} ${MAIN} "$@"\n`);
    chmodSync(join(folder, "bin/orthant"), 0o755);
    for (const file of ["cert.pem", "key.pem"])
      cpSync(join(folder, "etc/nats", file), join(folder, "etc/orthant", file));
    for (const host of HOSTS)
      writeFileSync(join(folder, `cluster-${host}.env`), this.#settings("ORTHANT_SECRET", host));
    writeFileSync(join(folder, "etc/orthant/operator.env"), this.#settings("operator", "a"));
  }

  /** Runs the guide's block with a text on host `a`, as an operator does. Returns what it prints. */
  async run(text: string): Promise<string> {
    cpSync(join(this.#folder, "cluster-a.env"), join(this.#folder, "etc/orthant/cluster.env"));
    const block = blockWith(text);
    // The shell still has the settings that an earlier block of the guide has read.
    const settings = block.includes("set -a") ? "" : "set -a; . /etc/orthant/operator.env\n";
    return this.command("a", this.#here(settings + block, "a"));
  }

  /** Runs a command on a host. */
  async command(host: string, command: string): Promise<string> {
    const [program = "bash", ...words] = [...this.#prefix(host), "bash", "-e", "-c", command];
    const { stdout } = await promisify(execFile)(program, words, this.#place);
    return stdout;
  }

  /** Starts the guide's unit on all hosts. Resolves when every gateway accepts players. */
  async start(): Promise<void> {
    for (const host of HOSTS) {
      const line = /^ExecStart=\/usr\/bin\/npx (.*)$/m.exec(UNIT)?.[1] ?? "";
      const command = this.#here(line.replace("%l", host), host);
      const settings = join(this.#folder, `cluster-${host}.env`);
      const [program = "bash", ...words] = [
        ...this.#prefix(host),
        "bash",
        "-c",
        `set -a; . ${settings}; exec ${command}`,
      ];
      const service = spawn(program, words, { ...this.#place, stdio: ["ignore", "pipe", "pipe"] });
      service.stderr?.on("data", (bytes) => {
        this.log += `${host}: ${bytes}`;
      });
      this.#services.set(host, service);
    }
    for (const host of HOSTS) {
      const ready = `curl -sf --cacert ${this.nats.caFile} https://${this.#name(host)}:${this.#port(host)}/readyz`;
      for (let attempt = 0; ; attempt++) {
        const answer = await this.command(host, ready).catch(() => "");
        if (answer === "ready\n") break;
        if (attempt > 100) throw new Error(`${host} never became ready:\n${this.log}`);
        await delay(200);
      }
    }
  }

  /** Stops the unit on all hosts, one after the other. */
  async stop(): Promise<void> {
    for (const [host, service] of this.#services) {
      if (service.exitCode === null) {
        service.kill("SIGTERM");
        await once(service, "close");
      }
      expect(service.exitCode, `${host}:\n${this.log}`).toBe(0);
      this.#services.delete(host);
    }
  }

  /** Places a block as a player of a host's gateway, if one is given. Returns the block that is there. */
  async play(host: string, block?: number): Promise<number> {
    const token = `ORTHANT_SECRET="${SECRET}" orthant token --player 7`;
    const url = `wss://${this.#name(host)}:${this.#port(host)}`;
    const player = `NODE_EXTRA_CA_CERTS=${this.nats.caFile} ${process.execPath} ${PLAYER}`;
    return Number(await this.command(host, `${player} ${url} "$(${token})" ${block ?? ""}`));
  }

  /** Requires that a world below the folder is whole. */
  async requireWhole(path: string): Promise<void> {
    expect(await this.command("a", `orthant verify ${join(this.#folder, path)}`), path).toBe(
      "no damage: orthant, 0 notices\n",
    );
  }

  /** Returns the folders of all shards below a folder. */
  shards(path: string): readonly string[] {
    return readdirSync(join(this.#folder, path)).flatMap((shard) =>
      readdirSync(join(this.#folder, path, shard))
        .filter((name) => /^e\d+$/.test(name))
        .map((term) => `${path}/${shard}/${term}`),
    );
  }

  /** Ends every process that still runs. */
  dispose(): void {
    for (const service of this.#services.values()) service.kill("SIGKILL");
  }

  get #place(): { readonly cwd: string; readonly env: NodeJS.ProcessEnv } {
    return { cwd: this.#folder, env: { ...ENVIRONMENT, PATH: `${this.#folder}/bin:${process.env["PATH"]}` } };
  }

  #prefix(host: string): readonly string[] {
    return this.nats.network.prefix(HOSTS.indexOf(host));
  }

  #name(host: string): string {
    return this.nats.network === LOOPBACK ? "localhost" : `${host}.example.org`;
  }

  #port(host: string): number {
    return this.nats.network === LOOPBACK ? 7440 + HOSTS.indexOf(host) : 7440;
  }

  /** Returns the guide's file of settings for a role on a host, with the passwords of this test. */
  #settings(role: string, host: string): string {
    const block = BLOCKS.filter((text) => text.startsWith("ORTHANT_NATS="));
    const written =
      block.find((text) => text.includes("ORTHANT_SECRET") === (role === "ORTHANT_SECRET")) ?? "";
    const user = role === "operator" ? GUIDE_USERS.operator : GUIDE_USERS.owner;
    const gateways: Readonly<Record<string, string>> = {
      a: "of gateway a",
      b: "of gateway b",
      c: "of gateway c",
    };
    return this.#here(written, host)
      .replace("ORTHANT_NATS_PASSWORD=...", `ORTHANT_NATS_PASSWORD="${user.password}"`)
      .replace("gateway-a", `gateway-${host}`)
      .replace("ORTHANT_NATS_GATEWAY_PASSWORD=...", `ORTHANT_NATS_GATEWAY_PASSWORD="${gateways[host]}"`)
      .replace("ORTHANT_SECRET=...", `ORTHANT_SECRET="${SECRET}"`);
  }

  /** Puts the guide's files below the folder, and its servers where they are. */
  #here(text: string, host: string): string {
    const ports = this.nats.cluster.urls.map((url) => url.split(":").at(-1));
    const placed = text
      .replaceAll(/(?<![\w.])\/(?=etc\/|srv\/|backups\/|var\/lib\/)/g, `${this.#folder}/`)
      .replace("--port 7440", `--port ${this.#port(host)}`);
    return HOSTS.reduce(
      (now, name, member) =>
        now.replaceAll(`${name}.example.org:4222`, `${this.#name(name)}:${ports[member]}`),
      placed,
    );
  }
}

function blockWith(text: string): string {
  const found = BLOCKS.filter((block) => block.includes(text));
  expect(found, `blocks of the guide with "${text}"`).toHaveLength(1);
  return found[0] ?? "";
}

test(
  "a cluster that is set up by the guide alone works, logs no errors, and can be restored and turned back",
  async () => {
    const folder = mkdtempSync(join(tmpdir(), "orthant-guide-"));
    mkdirSync(join(folder, "etc/nats"), { recursive: true });
    const startMs = performance.now();
    const nats = await GuideNats.start(join(folder, "etc/nats"));
    const hosts = new GuideHosts(nats, folder);
    try {
      await hosts.run("orthant cluster create");
      await hosts.start();
      expect(await hosts.play("a", 13)).toBe(13);
      console.info(`set up by the guide in ${Math.round((performance.now() - startMs) / 100) / 10} s`);
      expect(await hosts.play("b")).toBe(13);
      await hosts.run("orthant cluster split");
      expect(await hosts.run("orthant cluster status")).toMatch(/^a +\d +alive$/m);
      expect(await hosts.play("c", 12)).toBe(12);
      // Longer than the interval between saves.
      await delay(6_000);
      expect(await hosts.run("orthant cluster backup")).toMatch(/^backed up 2 shards of town/);
      expect(await hosts.play("a", 11)).toBe(11);
      await hosts.stop();
      expect(await hosts.run("orthant cluster restore")).toMatch(/^restored 2 shards of town/);
      await hosts.start();
      expect(await hosts.play("b"), "the block of the backup").toBe(12);
      expect(await hosts.play("b", 14)).toBe(14);
      await hosts.stop();
      expect(await hosts.run("orthant cluster back-to-one")).toMatch(
        /^wrote town to .* as a single world, from 2 shards/,
      );
      await hosts.requireWhole("var/lib/orthant/my-world");
      for (const shard of [
        ...hosts.shards("srv/orthant/town/shards"),
        ...hosts.shards("backups/monday/town/shards"),
      ])
        await hosts.requireWhole(shard);
      expect(await hosts.command("a", `orthant get ${folder}/var/lib/orthant/my-world 8,100,8`)).toContain(
        "14",
      );
      expect(hosts.log).not.toMatch(/lost|could not|cannot/);
      expect(await nats.errors()).toEqual([]);
    } finally {
      hosts.dispose();
      await nats.dispose();
      rmSync(folder, { recursive: true });
    }
  },
  TEST_MS,
);
