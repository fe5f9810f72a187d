import { type ChildProcess, execFile, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, chownSync, cpSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { promisify } from "node:util";
import { asUser, LOOPBACK } from "@orthant/testkit/nats";
import { orthantCommand } from "@orthant/testkit/process";
import {
  asServiceUser,
  BLOCKS,
  blockWith,
  GUIDE_USERS,
  type GuideNats,
  HOSTS,
  SERVICE_USER,
} from "./guide-nats.ts";

const PLAYER = resolve("build/campaigns/cluster/guide-player.js");
const ORTHANT = orthantCommand();
const UNIT = readFileSync("docs/operations/orthant-cluster.service", "utf8");
const SECRET = "a secret of more than thirty-two letters";
/** Node calls this variable, and a test must not inherit it. */
const { NODE_OPTIONS: _inherited, ...ENVIRONMENT } = process.env;

interface Status {
  readonly shards: readonly { readonly shard: string; readonly unsavedRecords: number }[];
}

/** Three hosts that are set up by the guide alone, with its files below a folder. */
export class GuideHosts {
  readonly nats: GuideNats;
  readonly #folder: string;
  readonly #services = new Map<string, ChildProcess>();
  log = "";

  constructor(nats: GuideNats, folder: string) {
    this.nats = nats;
    this.#folder = folder;
    for (const path of ["bin", "srv", "backups", "var/lib/orthant"])
      mkdirSync(join(folder, path), { recursive: true });
    // What useradd makes, and an operator.
    if (SERVICE_USER !== undefined)
      for (const path of ["backups", "var/lib/orthant"])
        chownSync(join(folder, path), SERVICE_USER.id, SERVICE_USER.id);
    for (const text of ["install -d /etc/orthant", "install -m 644 fullchain.pem"]) {
      const commands = this.#here(asServiceUser(blockWith(text)), "a");
      execFileSync("bash", ["-e", "-c", commands], { cwd: join(folder, "etc/nats"), stdio: "ignore" });
    }
    writeFileSync(join(folder, "bin/orthant"), `#!/bin/sh\nexec ${process.execPath} ${ORTHANT} "$@"\n`);
    chmodSync(join(folder, "bin/orthant"), 0o755);
    const secret = { mode: 0o600 };
    for (const host of HOSTS)
      writeFileSync(join(folder, `cluster-${host}.env`), this.#settings("ORTHANT_SECRET", host), secret);
    writeFileSync(join(folder, "etc/orthant/operator.env"), this.#settings("operator", "a"), secret);
  }

  /** Runs the guide's block with a text on host `a`, as an operator does. Returns what it prints. */
  async run(text: string): Promise<string> {
    cpSync(join(this.#folder, "cluster-a.env"), join(this.#folder, "etc/orthant/cluster.env"));
    const block = blockWith(text);
    // The shell still has the settings that an earlier block of the guide has read.
    const settings = block.includes("set -a") ? "" : "set -a; . /etc/orthant/operator.env\n";
    return this.command("a", this.#here(settings + asServiceUser(block), "a"));
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
        `set -a; . ${settings}; exec ${[...asUser(SERVICE_USER?.id), command].join(" ")}`,
      ];
      const service = spawn(program, words, { ...this.#place, stdio: ["ignore", "pipe", "pipe"] });
      for (const output of [service.stdout, service.stderr])
        output?.on("data", (bytes) => {
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
      if (service.exitCode !== 0) throw new Error(`${host} ended with ${service.exitCode}:\n${this.log}`);
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

  /** Resolves when a save has everything in the journal of a shard. */
  async whenSaved(shard: string): Promise<void> {
    const status = blockWith("orthant cluster status").replace("status town", "status town --json");
    for (;;) {
      const printed = await this.command(
        "a",
        this.#here(`set -a; . /etc/orthant/operator.env\n${status}`, "a"),
      );
      const { shards } = JSON.parse(printed) as Status;
      if (shards.some((known) => known.shard === shard && known.unsavedRecords === 0)) return;
      await delay(200);
    }
  }

  /** Returns what `orthant verify` says about a world below the folder. */
  verify(path: string): Promise<string> {
    return this.command("a", `orthant verify ${join(this.#folder, path)}`);
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
      a: "of-gateway-a",
      b: "of-gateway-b",
      c: "of-gateway-c",
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
