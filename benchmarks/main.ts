import { cpus } from "node:os";
import { bytesSuite } from "./bytes.ts";
import { type Comparison, compare } from "./compare.ts";

// npm run bench -- SUITE
const SUITES: Readonly<Record<string, readonly Comparison[]>> = { bytes: bytesSuite };

const suite = SUITES[process.argv[2] ?? ""];
if (suite === undefined) {
  console.error(`usage: npm run bench -- SUITE\nsuites: ${Object.keys(SUITES).join(", ")}`);
  process.exitCode = 2;
} else {
  const [cpu] = cpus();
  console.log(
    `machine: ${cpus().length} x ${cpu?.model ?? "unknown"}, Node ${process.version}, ${process.platform}`,
  );
  for (const comparison of suite) {
    const { line, missed } = compare(comparison);
    console.log(missed ? `${line} MISSED` : line);
    if (missed) process.exitCode = 1;
  }
}
