import { fork } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { DEFAULT_SYNC_LIMITS } from "@orthant/protocol/server";
import { DEFAULT_SERVER_LIMITS, issueToken } from "@orthant/server";
import { ServerProcess } from "../../process/server-process.ts";
import { HonestClient } from "../honest-client.ts";
import { AUDIENCE, SECRET } from "../target-settings.ts";
import { ACCOUNT_ATTACKS, type AccountAttack } from "./account-attacks.ts";

const SERVER = new URL("./account-server.js", import.meta.url);
const ATTACKER = fileURLToPath(new URL("./account-attacker.js", import.meta.url));
const HONEST_CLIENTS = 10;
const ATTACKER_ID = 1_000n;
const REST_MS = 2_000;
/** What a round takes besides its two times, and an attack besides its rounds. */
const ROUND_EXTRA_MS = 700;
const ATTACK_EXTRA_MS = 4_000;
/** A little slower than a player may edit, so that a round has enough edits for the 99th percentile. */
const HONEST_EDIT_EVERY_MS = 40;
/** Times with and without the attack alternate, so that what else the machine does meets both. */
const ROUNDS = 3;
/** An attack may make honest edits take this many times as long as without it. */
const SLOWDOWN_MAX = 2;
/** An honest edit waits for a tick anyway. If it does not wait longer for the loop, it takes at most twice as long. */
const WAIT_MS_MAX = 50;
/** Above this, the times of honest edits tell more about other programs than about the attack. */
const STRETCH_MAX = 1.5;
const EDITS_SLACK = 1.5;
const MEBIBYTE = 2 ** 20;
/** What docs/guides/run-a-server.md says that a connection and a region take. */
const CONNECTION_BYTES = MEBIBYTE;
const REGION_BYTES = 2_048 + 256;
/** What the collector may leave for later, beside what is in use. */
const GARBAGE_BYTES = 128 * MEBIBYTE;

/** The rounds of one attack. */
interface AttackReport {
  readonly calm: Measurement;
  readonly attacked: Measurement;
  readonly faults: readonly string[];
}

/** How long {@link attackByAccount} takes, about. */
export function attackByAccountMs(seconds: number): number {
  return ACCOUNT_ATTACKS.length * (ROUNDS * (2_000 * seconds + ROUND_EXTRA_MS) + ATTACK_EXTRA_MS);
}

/**
 * Attacks servers with one account, or from few networks, over many connections. Each attack takes several rounds of
 * `seconds` without it and as long with it. Returns what others noticed of it. The smallest run has one round of one
 * attack, too few edits to judge how long they take.
 */
export async function attackByAccount(
  seconds: number,
  isSmallest = false,
): Promise<{ readonly attacks: number; readonly failures: readonly string[] }> {
  const failures: string[] = [];
  const attacks = isSmallest ? ACCOUNT_ATTACKS.slice(0, 1) : ACCOUNT_ATTACKS;
  for (const attack of attacks) {
    const report = await runRounds(attack, seconds, isSmallest ? 1 : ROUNDS);
    console.log(`abuse: one attacker ${attack.name}: ${describeChange(report.calm, report.attacked)}`);
    const harm = isSmallest ? report.faults : harmOf(attack, report, seconds);
    failures.push(...harm.map((what) => `one attacker ${attack.name}: ${what}`));
  }
  return { attacks: attacks.length, failures };
}

/** Attacks a server process of its own in one way, while honest clients build. */
async function runRounds(
  { name, game = "none" }: AccountAttack,
  seconds: number,
  rounds: number,
): Promise<AttackReport> {
  const folder = await mkdtemp(join(tmpdir(), "orthant-abuse-"));
  const server = await ServerProcess.start(SERVER, [folder, game]);
  try {
    const honest = await Promise.all(
      Array.from({ length: HONEST_CLIENTS }, (_, index) =>
        HonestClient.join(server.port, index + 1, HONEST_EDIT_EVERY_MS),
      ),
    );
    const calm: Measurement[] = [];
    const attacked: Measurement[] = [];
    for (let round = 0; round < rounds; round++) {
      await delay(round === 0 ? REST_MS : ROUND_EXTRA_MS);
      calm.push(await measure(server, honest, () => delay(seconds * 1_000)));
      const attack = await startAttacker(server.port, name, seconds);
      attacked.push(await measure(server, honest, attack));
    }
    const faults = honest.flatMap((client) => client.faults);
    if (server.hasEnded) faults.push("the server ended");
    if (server.complaints !== "") faults.push(`the server complained: ${server.complaints}`);
    await Promise.all(honest.map((client) => client.close()));
    // Only the first round shows how much memory the server takes that was never attacked.
    const peakBytes = calm[0]?.peakBytes ?? 0;
    return { calm: { ...combineRounds(calm), peakBytes }, attacked: combineRounds(attacked), faults };
  } finally {
    await server.kill();
    await rm(folder, { recursive: true });
  }
}

/** What an attack did to others. */
function harmOf(attack: AccountAttack, report: AttackReport, seconds: number): readonly string[] {
  const { calm, attacked, faults } = report;
  const harm = [...faults];
  const p99MsMax = SLOWDOWN_MAX * calm.honestP99Ms;
  // Other programs on the machine slow down both phases, but not evenly. The CPU time below tells without them.
  const isQuiet = Math.max(calm.stretch, attacked.stretch) <= STRETCH_MAX;
  if (isQuiet && attacked.honestP99Ms > p99MsMax) {
    harm.push(`honest edits took ${ms(attacked.honestP99Ms)}, the limit is ${ms(p99MsMax)}`);
  }
  // While a server waits for a core, more arrives that it then does in one go.
  const waitMsMax = WAIT_MS_MAX * Math.max(1, attacked.stretch);
  if (attacked.waitP99Ms > waitMsMax) {
    harm.push(`messages waited ${ms(attacked.waitP99Ms)} of CPU time, the limit is ${ms(waitMsMax)}`);
  }
  const bytesMax = calm.peakBytes + attackBytesMax(attack) + GARBAGE_BYTES;
  if (attacked.peakBytes > bytesMax) {
    harm.push(`${mebibytes(attacked.peakBytes)} of memory, the limit is ${mebibytes(bytesMax)}`);
  }
  const { editsPerSecond, editsBurst } = DEFAULT_SYNC_LIMITS;
  const editsMax = calm.editsPerSecond + EDITS_SLACK * (editsPerSecond + editsBurst / seconds);
  if (attacked.editsPerSecond > editsMax) {
    harm.push(`${Math.round(attacked.editsPerSecond)} edits a second, the limit is ${Math.round(editsMax)}`);
  }
  return harm;
}

/** The memory that an attack can make a server use, by the limits of accounts and networks. */
function attackBytesMax({ accounts, networks }: AccountAttack): number {
  const { clientsPerPlayer, regionsPerPlayer, budgetsPerNetwork, watchedRegionsMax } = DEFAULT_SYNC_LIMITS;
  const { connectionsPerAddress, sendBacklogBytesMax, sendBacklogTotalBytesMax } = DEFAULT_SERVER_LIMITS;
  const clients = accounts * clientsPerPlayer + networks * connectionsPerAddress;
  const regions = (accounts + networks * budgetsPerNetwork) * regionsPerPlayer;
  return (
    clients * CONNECTION_BYTES +
    Math.min(watchedRegionsMax, regions) * REGION_BYTES +
    Math.min(sendBacklogTotalBytesMax, accounts * clientsPerPlayer * sendBacklogBytesMax)
  );
}

/** Starts a process that is ready to attack; the function returned lets it begin, and waits until it has ended. */
async function startAttacker(port: number, attack: string, seconds: number): Promise<() => Promise<void>> {
  const claims = { playerId: ATTACKER_ID, role: "builder", expiresInSeconds: 3_600 } as const;
  const token = await issueToken(claims, { secret: SECRET, audience: AUDIENCE });
  const child = fork(ATTACKER, [String(port), token, attack, String(seconds)]);
  const ended = once(child, "close");
  await Promise.race([once(child, "message"), ended]);
  return async () => {
    if (child.connected) child.send("attack");
    const [code] = await ended;
    if (code !== 0) throw new Error(`the attacker ended with code ${code}`);
  };
}

/** How a server does with honest clients alone, or under attack. */
interface Measurement {
  /** Honest edits that got their result. */
  readonly honestEdits: number;
  readonly honestP50Ms: number;
  readonly honestP99Ms: number;
  /** CPU time that the server takes between two runs of its timers, the 99th percentile. */
  readonly turnP99Ms: number;
  /** CPU time for which messages wait because the server does something else, the 99th percentile. */
  readonly waitP99Ms: number;
  /** How many times as long as its CPU time the server took for its work: above 1 while other programs take the cores. */
  readonly stretch: number;
  readonly cpuShare: number;
  readonly peakBytes: number;
  readonly editsPerSecond: number;
  readonly connections: number;
}

/** Measures a server and its honest clients while something happens. */
async function measure(
  server: ServerProcess,
  honest: readonly HonestClient[],
  act: () => Promise<unknown>,
): Promise<Measurement> {
  for (const question of ["turnMs", "peakBytes", "peakConnections"]) await server.ask(question);
  const editsBefore = await server.ask("edits");
  const cpuMsBefore = await server.ask("cpuMs");
  const activeMsBefore = await server.ask("activeMs");
  for (const client of honest) client.takeLatencies();
  const startMs = performance.now();
  await act();
  const passedMs = performance.now() - startMs;
  const latencies = honest.flatMap((client) => client.takeLatencies()).sort((a, b) => a - b);
  const quantile = (share: number): number =>
    latencies[Math.floor((latencies.length - 1) * share)] ?? Number.POSITIVE_INFINITY;
  return {
    honestEdits: latencies.length,
    honestP50Ms: quantile(0.5),
    honestP99Ms: quantile(0.99),
    waitP99Ms: await server.ask("waitMs"),
    stretch: ((await server.ask("activeMs")) - activeMsBefore) / ((await server.ask("cpuMs")) - cpuMsBefore),
    turnP99Ms: await server.ask("turnMs"),
    cpuShare: ((await server.ask("cpuMs")) - cpuMsBefore) / passedMs,
    peakBytes: await server.ask("peakBytes"),
    editsPerSecond: (((await server.ask("edits")) - editsBefore) * 1_000) / passedMs,
    connections: await server.ask("peakConnections"),
  };
}

/** Several rounds as one: times and rates of the median round, so that one disturbed round does not count; the highest peaks. */
function combineRounds(rounds: readonly Measurement[]): Measurement {
  const values = (of: (round: Measurement) => number): readonly number[] =>
    rounds.map(of).sort((a, b) => a - b);
  const median = (of: (round: Measurement) => number): number => values(of)[rounds.length >> 1] ?? 0;
  const most = (of: (round: Measurement) => number): number => values(of).at(-1) ?? 0;
  return {
    honestEdits: rounds.reduce((sum, { honestEdits }) => sum + honestEdits, 0),
    honestP50Ms: median(({ honestP50Ms }) => honestP50Ms),
    honestP99Ms: median(({ honestP99Ms }) => honestP99Ms),
    turnP99Ms: median(({ turnP99Ms }) => turnP99Ms),
    waitP99Ms: median(({ waitP99Ms }) => waitP99Ms),
    stretch: median(({ stretch }) => stretch),
    cpuShare: median(({ cpuShare }) => cpuShare),
    peakBytes: most(({ peakBytes }) => peakBytes),
    editsPerSecond: median(({ editsPerSecond }) => editsPerSecond),
    connections: most(({ connections }) => connections),
  };
}

/** Both measurements in one line. */
function describeChange(calm: Measurement, attacked: Measurement): string {
  const change = (name: string, of: (one: Measurement) => string): string =>
    `${name} ${of(calm)} -> ${of(attacked)}`;
  return [
    change("honest edits", ({ honestEdits }) => String(honestEdits)),
    change("p50", ({ honestP50Ms }) => ms(honestP50Ms)),
    change("p99", ({ honestP99Ms }) => ms(honestP99Ms)),
    change("CPU without a pause p99", ({ turnP99Ms }) => ms(turnP99Ms)),
    change("wait for the loop p99", ({ waitP99Ms }) => ms(waitP99Ms)),
    change("stretch", ({ stretch }) => stretch.toFixed(1)),
    change("CPU", ({ cpuShare }) => `${Math.round(cpuShare * 100)} %`),
    change("memory", ({ peakBytes }) => mebibytes(peakBytes)),
    change("edits a second", ({ editsPerSecond }) => String(Math.round(editsPerSecond))),
    change("connections", ({ connections }) => String(connections)),
  ].join(", ");
}

/** A time for people to read. */
function ms(value: number): string {
  return `${Math.round(value)} ms`;
}

/** A number of bytes for people to read. */
function mebibytes(bytes: number): string {
  return `${Math.round(bytes / MEBIBYTE)} MiB`;
}
