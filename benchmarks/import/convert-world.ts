import { spawn } from "node:child_process";
import { once } from "node:events";
import { rm } from "node:fs/promises";
import type { Readable } from "node:stream";
import { text } from "node:stream/consumers";
import { EXIT } from "@orthant/cli";
import { orthantCommand } from "@orthant/testkit/process";
import { bytesIn } from "../folder-bytes.ts";

/** What a conversion took. */
export interface Conversion {
  readonly wallSeconds: number;
  /** Of all threads. */
  readonly cpuSeconds: number;
  /** Largest resident memory of the process. */
  readonly peakMb: number;
  /** Of the new world. */
  readonly bytes: number;
}

interface Usage {
  readonly userCPUTime: number;
  readonly systemCPUTime: number;
  readonly maxRSS: number;
}

const ORTHANT = orthantCommand();
/** Reports what the process took when it ends. */
const REPORT = new URL("../cli/peak-memory.js", import.meta.url).href;

/** How a conversion runs. */
export interface ConversionOptions {
  /** Threads that read the world, the main one among them. */
  readonly threads: number;
  /** Whether all threads of the process share one core. Only on Linux. */
  readonly onOneCore?: boolean;
}

/** Runs `orthant convert` as a process, and removes what it made. */
export async function convertWorld(
  source: string,
  target: string,
  { threads, onOneCore = false }: ConversionOptions,
): Promise<Conversion> {
  const start = process.hrtime.bigint();
  const options = ["--accept-loss", "--quiet", "--threads", `${threads}`];
  const argv = [process.execPath, "--import", REPORT, ORTHANT, "convert", source, target, ...options];
  const [command = "", ...rest] = onOneCore ? ["taskset", "--cpu-list", "0", ...argv] : argv;
  const child = spawn(command, rest, { stdio: ["ignore", "inherit", "inherit", "pipe"] });
  const [usage, [exitCode]] = await Promise.all([
    text(child.stdio[3] as Readable),
    once(child, "exit") as Promise<[number | null]>,
  ]);
  if (exitCode !== EXIT.ok && exitCode !== EXIT.loss)
    throw new Error(`orthant convert ended with ${exitCode}`);
  const wallSeconds = Number(process.hrtime.bigint() - start) / 1e9;
  const { userCPUTime, systemCPUTime, maxRSS } = JSON.parse(usage) as Usage;
  const bytes = await bytesIn(target);
  await rm(target, { recursive: true });
  return { wallSeconds, cpuSeconds: (userCPUTime + systemCPUTime) / 1e6, peakMb: maxRSS / 1_024, bytes };
}
