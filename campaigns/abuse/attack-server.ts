import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { Prng } from "@orthant/testkit";
import { ServerProcess } from "../process/server-process.ts";
import { type Attack, times } from "./attack.ts";
import { Attacker, type Target } from "./attacker.ts";
import { HonestClient } from "./honest-client.ts";
import { hostileFrame } from "./hostile-frames.ts";
import { MESSAGE_ATTACKS } from "./message-attacks.ts";
import { SOCKET_ATTACKS } from "./socket-attacks.ts";
import { METRICS_BEARER } from "./target-settings.ts";
import { TOKEN_ATTACKS } from "./token-attacks.ts";

const PROGRAM = new URL("./target-server.js", import.meta.url);
const LIMITS_PAGE = "docs/reference/limits.md";
const ATTACKS: readonly Attack[] = [...SOCKET_ATTACKS, ...TOKEN_ATTACKS, ...MESSAGE_ATTACKS];
/** The attacks one after the other, except for those that mostly wait, which run together at the end. */
const ATTACK_STEPS: readonly (readonly Attack[])[] = [
  ...ATTACKS.filter(({ waits = false }) => !waits).map((attack) => [attack]),
  ATTACKS.filter(({ waits = false }) => waits),
];
const HONEST_CLIENTS = 4;
const HONEST_EDIT_EVERY_MS = 200;
const QUIET_MS = 5_000;
/** Time for a few honest edits of each client. */
const QUIET_MS_SMALLEST = 2_000;
/** Greatest p99 time to an edit result for honest edits while all attacks run at once. */
const HONEST_P99_MS_MAX = 2_000;
/** Memory that a server may use beyond twice its use at rest: caches, allocator pools, a built world. */
const MEMORY_ALLOWANCE_BYTES = 96 * 2 ** 20;
const MEBIBYTE = 2 ** 20;
/** Networks for damaged frames, in addition to those of the attacks. */
const FRAME_NETWORKS = 8;
const FIRST_FRAME_NETWORK = 100;

/** Results of an attack. */
interface ServerAttackReport {
  readonly frames: number;
  readonly failures: readonly string[];
}

/** Attacks a real server process over sockets of this machine, while honest clients build. */
export async function attackServer(
  seed: number,
  frames: number,
  isSmallest = false,
): Promise<ServerAttackReport> {
  const folder = await mkdtemp(join(tmpdir(), "orthant-abuse-"));
  const server = await ServerProcess.start(PROGRAM, [folder]);
  try {
    return await new ServerAttack(server, seed, isSmallest ? QUIET_MS_SMALLEST : QUIET_MS).run(frames);
  } finally {
    await server.kill();
    await rm(folder, { recursive: true });
  }
}

class ServerAttack {
  readonly #server: ServerProcess;
  readonly #seed: number;
  readonly #quietMs: number;
  readonly #failures: string[] = [];

  constructor(server: ServerProcess, seed: number, quietMs: number) {
    this.#server = server;
    this.#seed = seed;
    this.#quietMs = quietMs;
  }

  async run(frames: number): Promise<ServerAttackReport> {
    const { port } = this.#server;
    const honest = await Promise.all(
      Array.from({ length: HONEST_CLIENTS }, (_, index) =>
        HonestClient.join(port, index + 1, HONEST_EDIT_EVERY_MS),
      ),
    );
    await delay(this.#quietMs);
    const restBytes = await this.#server.ask("memory");
    const before = refusalsOf(await readCounts(port));
    this.#reportLatencies("at rest", honest);
    for (const attacks of ATTACK_STEPS) await this.#attack(attacks);
    this.#reportLatencies("attack by attack", honest);
    const sent = await this.#strike(frames);
    this.#reportLatencies(`${sent} damaged frames`, honest);
    await this.#attackAtOnce();
    this.#reportLatencies("all attacks at once", honest);
    await delay(this.#quietMs);
    this.#reportLatencies("at rest again", honest);
    await this.#checkNames(difference(before, refusalsOf(await readCounts(port))));
    await this.#checkHealth(honest, restBytes);
    await Promise.all(honest.map((client) => client.close()));
    return { frames: sent, failures: this.#failures };
  }

  /** Runs attacks together, and checks that the server counts the refusals of each. */
  async #attack(attacks: readonly Attack[]): Promise<void> {
    const { port } = this.#server;
    const before = refusalsOf(await readCounts(port));
    const runs = attacks.map(async (attack) => {
      try {
        await attack.run({ port, network: ATTACKS.indexOf(attack) + 1 });
      } catch (error) {
        this.#failures.push(`${attack.name}: ${error instanceof Error ? error.message : String(error)}`);
      }
    });
    await Promise.all(runs);
    const added = difference(before, refusalsOf(await readCounts(port)));
    for (const attack of attacks) this.#checkCounts(attack, added);
    const refusals = [...added].filter(([name]) => !/^edit (?:applied|unchanged)$/.test(name));
    const names = attacks.map(({ name }) => name).join("; ");
    console.log(`abuse: ${names}: ${refusals.map(([name, count]) => `${name} ${count}`).join(", ")}`);
  }

  #checkCounts(attack: Attack, added: ReadonlyMap<string, number>): void {
    for (const [name, count] of Object.entries(attack.counted)) {
      const found = added.get(name) ?? 0;
      if (found < count || (count === 0 && found > 0)) {
        this.#failures.push(`${attack.name}: ${name} was counted ${found} times, not ${count}`);
      }
    }
  }

  async #strike(frames: number): Promise<number> {
    const { port } = this.#server;
    const targets = Array.from({ length: FRAME_NETWORKS }, (_, index) => ({
      port,
      network: FIRST_FRAME_NETWORK + index,
    }));
    return sendDamagedFrames(targets, frames, this.#seed);
  }

  /** Runs all attacks together. The counts cannot be attributed, so only harm to others is checked. */
  async #attackAtOnce(): Promise<void> {
    const { port } = this.#server;
    const outcomes = ATTACKS.map(async (attack, index) => attack.run({ port, network: 50 + index }));
    await Promise.allSettled(outcomes);
  }

  #reportLatencies(when: string, honest: readonly HonestClient[]): void {
    const latencies = honest.flatMap((client) => client.takeLatencies()).sort((a, b) => a - b);
    const quantile = (share: number): number => latencies[Math.floor((latencies.length - 1) * share)] ?? 0;
    const p99 = quantile(0.99);
    console.log(
      `abuse: honest edits, ${when}: ${latencies.length}, p50 ${Math.round(quantile(0.5))} ms, p99 ${Math.round(p99)} ms`,
    );
    if (latencies.length === 0) this.#failures.push(`${when}: no honest edit was made`);
    if (p99 > HONEST_P99_MS_MAX) this.#failures.push(`${when}: honest edits took ${Math.round(p99)} ms`);
  }

  async #checkNames(added: ReadonlyMap<string, number>): Promise<void> {
    const page = await readFile(LIMITS_PAGE, "utf8");
    for (const name of added.keys()) {
      const [, label = ""] = name.split(" ");
      if (!page.includes(`\`${label}\``)) this.#failures.push(`${name} is not on the page about limits`);
    }
    if ((added.get("goodbye failure") ?? 0) > 0) this.#failures.push("the server failed instead of refusing");
  }

  async #checkHealth(honest: readonly HonestClient[], restBytes: number): Promise<void> {
    for (const client of honest) {
      client.stop();
      this.#failures.push(...client.faults);
    }
    for (let wait = 0; wait < 50 && honest.some(({ openEdits }) => openEdits > 0); wait++) await delay(100);
    if (honest.some(({ openEdits }) => openEdits > 0))
      this.#failures.push("honest edits wait for edit results");
    const errors = (await readCounts(this.#server.port)).get("orthant_errors_total");
    if (errors !== 0) this.#failures.push(`the server counted ${errors} faults of its own`);
    const bytes = await this.#server.ask("memory");
    console.log(`abuse: memory ${mebibytes(restBytes)} at rest, ${mebibytes(bytes)} after it all`);
    if (bytes > 2 * restBytes + MEMORY_ALLOWANCE_BYTES) this.#failures.push(`${mebibytes(bytes)} of memory`);
    if (this.#server.hasEnded) this.#failures.push("the server ended");
    if (this.#server.complaints !== "")
      this.#failures.push(`the server complained: ${this.#server.complaints}`);
  }
}

function mebibytes(bytes: number): string {
  return `${Math.round(bytes / MEBIBYTE)} MiB`;
}

const FRAMES_PER_CONNECTION = 20;
const NO_HELLO_CHANCE = 0.2;
const FRAME_INTERVAL_MS = 2;
/** Interval between connections of one network. */
const CONNECT_MS = 60;
const CLIENT_IDS = 1_000;

/** Sends damaged frames over real sockets. Returns how many it sent. */
async function sendDamagedFrames(targets: readonly Target[], frames: number, seed: number): Promise<number> {
  let sent = 0;
  await times(targets.length, async (index) => {
    const prng = new Prng(seed + index);
    const target = targets[index];
    while (target !== undefined && sent < frames) {
      const clientId = BigInt(prng.between(2, CLIENT_IDS));
      const attacker = prng.chance(NO_HELLO_CHANCE)
        ? await Attacker.connect(target)
        : await Attacker.join(target, { clientId });
      for (
        let count = 0;
        count < FRAMES_PER_CONNECTION && attacker.goodbye === undefined && sent < frames;
        count++
      ) {
        const { acknowledged } = attacker;
        const standing = { clientId, acknowledged, applied: 0, nextInterestId: 1, nextEditId: 1 };
        attacker.send(hostileFrame(standing, [], prng));
        sent++;
        await delay(FRAME_INTERVAL_MS);
      }
      attacker.end();
      await delay(CONNECT_MS);
    }
  });
  return sent;
}

/** A server's counters, by name and labels as `/metrics` writes them. */
type Counts = ReadonlyMap<string, number>;

/** The counter series that give the reason of a refusal. */
const REFUSALS: readonly (readonly [pattern: RegExp, kind: string])[] = [
  [/^orthant_goodbyes_total\{reason="limit",limit="(?<name>\w+)"\}$/, "limit"],
  [/^orthant_goodbyes_total\{reason="(?<name>\w+)",limit="\w*"\}$/, "goodbye"],
  [/^orthant_refusals_total\{name="(?<name>\w+)"\}$/, "refusal"],
  [/^orthant_edits_total\{outcome="(?<name>\w+)"\}$/, "edit"],
];

/** Reads the counters. */
async function readCounts(port: number): Promise<Counts> {
  const headers = { authorization: `Bearer ${METRICS_BEARER}`, connection: "close" };
  const response = await fetch(`http://127.0.0.1:${port}/metrics`, { headers });
  if (!response.ok) throw new Error(`/metrics answers ${response.status}`);
  return countsIn(await response.text());
}

/** Returns the count of each event, such as `goodbye malformed`, `limit idleMs`, `refusal path` or `edit rate`. */
function refusalsOf(counts: Counts): ReadonlyMap<string, number> {
  const refusals = new Map<string, number>();
  for (const [series, count] of counts) {
    for (const [pattern, kind] of REFUSALS) {
      const name = pattern.exec(series)?.groups?.["name"];
      if (name === undefined) continue;
      refusals.set(`${kind} ${name}`, (refusals.get(`${kind} ${name}`) ?? 0) + count);
      break;
    }
  }
  return refusals;
}

/** Returns the increase between two readings. */
function difference(
  before: ReadonlyMap<string, number>,
  after: ReadonlyMap<string, number>,
): ReadonlyMap<string, number> {
  const added = new Map<string, number>();
  for (const [name, count] of after) {
    const more = count - (before.get(name) ?? 0);
    if (more !== 0) added.set(name, more);
  }
  return added;
}

function countsIn(page: string): Counts {
  const counts = new Map<string, number>();
  for (const line of page.split("\n")) {
    const match = /^(?<series>orthant_\w+(?:\{[^}]*\})?) (?<count>\S+)$/.exec(line)?.groups;
    if (match?.["series"] !== undefined) counts.set(match["series"], Number(match["count"]));
  }
  return counts;
}
