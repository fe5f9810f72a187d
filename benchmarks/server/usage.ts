import { heldBytes } from "../held-bytes.ts";
import type { UsageOrder, UsageReport } from "./orders.ts";

/** Returns what this process uses. */
export function usageOf({ kind }: UsageOrder, port: number): UsageReport {
  const { user, system } = process.cpuUsage();
  const { heapUsed, external } = process.memoryUsage();
  return { port, cpuUs: user + system, usedBytes: kind === "collect" ? heldBytes() : heapUsed + external };
}
