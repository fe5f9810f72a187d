import { fork } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { DEFAULT_HOST_LIMITS } from "@orthant/protocol";
import { DEFAULT_SERVER_LIMITS, issueToken } from "@orthant/server";
import { ServerProcess } from "../../process/server-process.ts";
import { HonestClient } from "../honest-client.ts";
import { AUDIENCE, SECRET } from "../siege-plan.ts";
import { ACCOUNT_ATTACKS, type AccountAttack } from "./account-attacks.ts";

const SERVER = new URL("./account-server.js", import.meta.url);
const ATTACKER = fileURLToPath(new URL("./account-attacker.js", import.meta.url));
const HONEST_CLIENTS = 8;
const ATTACKER_ID = 1_000n;
const REST_MS = 2_000;
/** An attack is tried again when it seems to harm others: another program may have kept the machine busy. */
const TRIES = 3;
/** Honest edits wait for a tick of 100 ms. Two ticks and the time for the work of one are what an attack may cost them. */
const UNNOTICED_MS = 250;
const EDITS_SLACK = 1.5;
const MEBIBYTE = 2 ** 20;
/** What docs/guides/run-a-server.md says that a connection and a region take. */
const CONNECTION_BYTES = MEBIBYTE;
const REGION_BYTES = 2_048 + 256;
/** What the collector may leave for later, beside what is in use. */
const GARBAGE_BYTES = 128 * MEBIBYTE;

/** How a server does with honest clients alone, or under attack. */
interface Measurement {
  readonly honestP50Ms: number;
  readonly honestP99Ms: number;
  /** CPU time that the server takes between two looks at its timers, the 99th percentile. */
  readonly turnP99Ms: number;
  readonly cpuShare: number;
  readonly peakBytes: number;
  readonly editsPerSecond: number;
  readonly connections: number;
}

/** One attack and the time before it. */
interface AttackReport {
  readonly calm: Measurement;
  readonly attacked: Measurement;
  readonly faults: readonly string[];
}

/** Attacks servers with one account, or from few networks, over many connections; gives what others noticed of it. */
export async function besiegeByAccount(
  seconds: number,
): Promise<{ readonly attacks: number; readonly failures: readonly string[] }> {
  const failures: string[] = [];
  for (const attack of ACCOUNT_ATTACKS) {
    let harm: readonly string[] = [];
    for (let tries = 1; tries <= TRIES; tries++) {
      const report = await attackOnce(attack, seconds);
      harm = harmOf(attack, report, seconds);
      console.log(`abuse: one attacker ${attack.name}: ${describe(report)}`);
      if (harm.length === 0) break;
    }
    failures.push(...harm.map((what) => `one attacker ${attack.name}: ${what}`));
  }
  return { attacks: ACCOUNT_ATTACKS.length, failures };
}

/** Attacks a server process of its own in one way, while honest clients build. */
async function attackOnce({ name }: AccountAttack, seconds: number): Promise<AttackReport> {
  const folder = await mkdtemp(join(tmpdir(), "orthant-abuse-"));
  const server = await ServerProcess.start(SERVER, [folder]);
  try {
    const honest = await Promise.all(
      Array.from({ length: HONEST_CLIENTS }, (_, index) => HonestClient.join(server.port, index + 1)),
    );
    await delay(REST_MS);
    const calm = await measure(server, honest, () => delay(seconds * 1_000));
    const attacked = await measure(server, honest, () => runAttacker(server.port, name, seconds));
    const faults = honest.flatMap((client) => client.faults);
    if (server.hasEnded) faults.push("the server ended");
    if (server.complaints !== "") faults.push(`the server complained: ${server.complaints}`);
    await Promise.all(honest.map((client) => client.close()));
    return { calm, attacked, faults };
  } finally {
    await server.kill();
    await rm(folder, { recursive: true });
  }
}

/** What an attack did to others. */
function harmOf(attack: AccountAttack, report: AttackReport, seconds: number): readonly string[] {
  const { calm, attacked, faults } = report;
  const harm = [...faults];
  const p99MsMax = Math.max(UNNOTICED_MS, 2 * calm.honestP99Ms);
  if (attacked.honestP99Ms > p99MsMax) {
    harm.push(`honest edits took ${ms(attacked.honestP99Ms)}, at most ${ms(p99MsMax)} may be`);
  }
  const bytesMax = calm.peakBytes + attackBytesMax(attack) + GARBAGE_BYTES;
  if (attacked.peakBytes > bytesMax) {
    harm.push(`${mebibytes(attacked.peakBytes)} of memory, at most ${mebibytes(bytesMax)} may be`);
  }
  const { editsPerSecond, editsBurst } = DEFAULT_HOST_LIMITS;
  const editsMax = calm.editsPerSecond + EDITS_SLACK * (editsPerSecond + editsBurst / seconds);
  if (attacked.editsPerSecond > editsMax) {
    harm.push(
      `${Math.round(attacked.editsPerSecond)} edits a second, at most ${Math.round(editsMax)} may be`,
    );
  }
  return harm;
}

/** The memory that an attack can make a server use, by the limits of accounts and networks. */
function attackBytesMax({ accounts, networks }: AccountAttack): number {
  const { clientsPerPlayer, regionsPerPlayer, budgetsPerNetwork, watchedRegionsMax } = DEFAULT_HOST_LIMITS;
  const { connectionsPerAddress, sendBacklogBytesMax, sendBacklogTotalBytesMax } = DEFAULT_SERVER_LIMITS;
  const clients = accounts * clientsPerPlayer + networks * connectionsPerAddress;
  const regions = (accounts + networks * budgetsPerNetwork) * regionsPerPlayer;
  return (
    clients * CONNECTION_BYTES +
    Math.min(watchedRegionsMax, regions) * REGION_BYTES +
    Math.min(sendBacklogTotalBytesMax, accounts * clientsPerPlayer * sendBacklogBytesMax)
  );
}

function describe({ calm, attacked }: AttackReport): string {
  return [
    `honest edits p50 ${ms(calm.honestP50Ms)} -> ${ms(attacked.honestP50Ms)}`,
    `p99 ${ms(calm.honestP99Ms)} -> ${ms(attacked.honestP99Ms)}`,
    `CPU without a pause p99 ${ms(calm.turnP99Ms)} -> ${ms(attacked.turnP99Ms)}`,
    `CPU ${percent(calm.cpuShare)} -> ${percent(attacked.cpuShare)}`,
    `memory ${mebibytes(calm.peakBytes)} -> ${mebibytes(attacked.peakBytes)}`,
    `edits a second ${Math.round(calm.editsPerSecond)} -> ${Math.round(attacked.editsPerSecond)}`,
    `connections ${calm.connections} -> ${attacked.connections}`,
  ].join(", ");
}

async function measure(
  server: ServerProcess,
  honest: readonly HonestClient[],
  act: () => Promise<unknown>,
): Promise<Measurement> {
  for (const question of ["turnMs", "peakBytes", "peakConnections"]) await server.ask(question);
  const editsBefore = await server.ask("edits");
  const cpuMsBefore = await server.ask("cpuMs");
  for (const client of honest) client.takeLatencies();
  const startMs = performance.now();
  await act();
  const passedMs = performance.now() - startMs;
  const latencies = honest.flatMap((client) => client.takeLatencies()).sort((a, b) => a - b);
  const quantile = (share: number): number =>
    latencies[Math.floor((latencies.length - 1) * share)] ?? Number.POSITIVE_INFINITY;
  return {
    honestP50Ms: quantile(0.5),
    honestP99Ms: quantile(0.99),
    turnP99Ms: await server.ask("turnMs"),
    cpuShare: ((await server.ask("cpuMs")) - cpuMsBefore) / passedMs,
    peakBytes: await server.ask("peakBytes"),
    editsPerSecond: (((await server.ask("edits")) - editsBefore) * 1_000) / passedMs,
    connections: await server.ask("peakConnections"),
  };
}

async function runAttacker(port: number, attack: string, seconds: number): Promise<void> {
  const claims = { playerId: ATTACKER_ID, role: "builder", expiresInSeconds: 3_600 } as const;
  const token = await issueToken(claims, { secret: SECRET, audience: AUDIENCE });
  const child = fork(ATTACKER, [String(port), token, attack, String(seconds)]);
  const [code] = await once(child, "close");
  if (code !== 0) throw new Error(`the attacker ended with code ${code}`);
}

function ms(value: number): string {
  return `${Math.round(value)} ms`;
}

function percent(share: number): string {
  return `${Math.round(share * 100)} %`;
}

function mebibytes(bytes: number): string {
  return `${Math.round(bytes / MEBIBYTE)} MiB`;
}
