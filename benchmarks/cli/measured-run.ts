import { spawn } from "node:child_process";
import { once } from "node:events";
import type { Readable } from "node:stream";
import { text } from "node:stream/consumers";
import { orthantCommand } from "@orthant/testkit/process";

const ORTHANT = orthantCommand();
const PEAK_MEMORY = new URL("./peak-memory.js", import.meta.url).href;

/** The cost of one run of the program. */
export interface MeasuredRun {
  readonly wallMs: number;
  readonly cpuMs: number;
  /** Peak memory, in megabytes of 1,000,000 bytes. */
  readonly peakMegabytes: number;
}

/** Runs `orthant` in a separate process. Throws unless it ends with one of the exit codes. */
export function runMeasured(
  argv: readonly string[],
  exitCodes: readonly number[] = [0],
): Promise<MeasuredRun> {
  return runNode([ORTHANT, ...argv], exitCodes);
}

/** Runs a program that does nothing. */
export function runBare(): Promise<MeasuredRun> {
  return runNode(["-e", "0"], [0]);
}

async function runNode(argv: readonly string[], exitCodes: readonly number[]): Promise<MeasuredRun> {
  const start = process.hrtime.bigint();
  const child = spawn(process.execPath, ["--import", PEAK_MEMORY, ...argv], {
    stdio: ["ignore", "ignore", "pipe", "pipe"],
  });
  const [report, errors] = [text(child.stdio[3] as Readable), text(child.stderr as Readable)];
  const [code] = (await once(child, "close")) as [number | null];
  const wallMs = Number(process.hrtime.bigint() - start) / 1e6;
  if (code === null || !exitCodes.includes(code))
    throw new Error(`node ${argv.join(" ")}: ${code}: ${await errors}`);
  const { maxRSS, userCPUTime, systemCPUTime } = JSON.parse(await report) as Record<string, number>;
  return {
    wallMs,
    cpuMs: ((userCPUTime ?? 0) + (systemCPUTime ?? 0)) / 1e3,
    peakMegabytes: ((maxRSS ?? Number.NaN) * 1_024) / 1e6,
  };
}
