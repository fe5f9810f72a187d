import { writeSync } from "node:fs";

// Loaded into a program before it begins: reports its peak usage on a separate channel when it ends.
const REPORT_CHANNEL = 3;

process.on("exit", () => {
  const { maxRSS, userCPUTime, systemCPUTime } = process.resourceUsage();
  writeSync(REPORT_CHANNEL, JSON.stringify({ maxRSS, userCPUTime, systemCPUTime }));
});
