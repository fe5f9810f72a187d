import { writeSync } from "node:fs";

// Loaded into a program before it begins: when it ends, it says on a channel of its own what it took at most.
const REPORT_CHANNEL = 3;

process.on("exit", () => {
  const { maxRSS, userCPUTime, systemCPUTime } = process.resourceUsage();
  writeSync(REPORT_CHANNEL, JSON.stringify({ maxRSS, userCPUTime, systemCPUTime }));
});
