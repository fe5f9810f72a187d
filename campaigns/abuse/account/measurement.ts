import type { ServerProcess } from "../../process/server-process.ts";
import type { HonestClient } from "../honest-client.ts";

const MEBIBYTE = 2 ** 20;

/** How a server does with honest clients alone, or under attack. */
export interface Measurement {
  /** Honest edits that got their verdict. */
  readonly honestEdits: number;
  readonly honestP50Ms: number;
  readonly honestP99Ms: number;
  /** CPU time that the server takes between two looks at its timers, the 99th percentile. */
  readonly turnP99Ms: number;
  readonly cpuShare: number;
  readonly peakBytes: number;
  readonly editsPerSecond: number;
  readonly connections: number;
}

/** Measures a server and its honest clients while something happens. */
export async function measure(
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
    honestEdits: latencies.length,
    honestP50Ms: quantile(0.5),
    honestP99Ms: quantile(0.99),
    turnP99Ms: await server.ask("turnMs"),
    cpuShare: ((await server.ask("cpuMs")) - cpuMsBefore) / passedMs,
    peakBytes: await server.ask("peakBytes"),
    editsPerSecond: (((await server.ask("edits")) - editsBefore) * 1_000) / passedMs,
    connections: await server.ask("peakConnections"),
  };
}

/** Several rounds as one: times and rates of the median round, so that one disturbed round does not count; the highest peaks. */
export function combineRounds(rounds: readonly Measurement[]): Measurement {
  const values = (of: (round: Measurement) => number): readonly number[] =>
    rounds.map(of).sort((a, b) => a - b);
  const median = (of: (round: Measurement) => number): number => values(of)[rounds.length >> 1] ?? 0;
  const most = (of: (round: Measurement) => number): number => values(of).at(-1) ?? 0;
  return {
    honestEdits: rounds.reduce((sum, { honestEdits }) => sum + honestEdits, 0),
    honestP50Ms: median(({ honestP50Ms }) => honestP50Ms),
    honestP99Ms: median(({ honestP99Ms }) => honestP99Ms),
    turnP99Ms: median(({ turnP99Ms }) => turnP99Ms),
    cpuShare: median(({ cpuShare }) => cpuShare),
    peakBytes: most(({ peakBytes }) => peakBytes),
    editsPerSecond: median(({ editsPerSecond }) => editsPerSecond),
    connections: most(({ connections }) => connections),
  };
}

/** Both measurements in one line. */
export function describeChange(calm: Measurement, attacked: Measurement): string {
  const change = (name: string, of: (one: Measurement) => string): string =>
    `${name} ${of(calm)} -> ${of(attacked)}`;
  return [
    change("honest edits", ({ honestEdits }) => String(honestEdits)),
    change("p50", ({ honestP50Ms }) => ms(honestP50Ms)),
    change("p99", ({ honestP99Ms }) => ms(honestP99Ms)),
    change("CPU without a pause p99", ({ turnP99Ms }) => ms(turnP99Ms)),
    change("CPU", ({ cpuShare }) => `${Math.round(cpuShare * 100)} %`),
    change("memory", ({ peakBytes }) => mebibytes(peakBytes)),
    change("edits a second", ({ editsPerSecond }) => String(Math.round(editsPerSecond))),
    change("connections", ({ connections }) => String(connections)),
  ].join(", ");
}

/** A time for people to read. */
export function ms(value: number): string {
  return `${Math.round(value)} ms`;
}

/** A number of bytes for people to read. */
export function mebibytes(bytes: number): string {
  return `${Math.round(bytes / MEBIBYTE)} MiB`;
}
