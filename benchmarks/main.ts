import { cpus } from "node:os";
import { bytesSuite } from "./bytes.ts";
import { cliSuite } from "./cli.ts";
import { clusterSuite } from "./cluster.ts";
import type { Suite } from "./figure.ts";
import { journalSuite } from "./journal.ts";
import { pxswSuite } from "./pxsw.ts";
import { restSuite } from "./rest.ts";
import { saveSuite } from "./save.ts";
import { scaleSuite } from "./scale.ts";
import { serverSuite } from "./server.ts";
import { stallSuite } from "./stall.ts";
import { treeSuite } from "./tree.ts";
import { viewerSuite } from "./viewer.ts";
import { wireSuite } from "./wire.ts";

// npm run bench -- SUITE: a line a figure, and a non-zero exit when a budget is missed.
const SUITES: Readonly<Record<string, Suite>> = {
  bytes: bytesSuite,
  tree: treeSuite,
  save: saveSuite,
  rest: restSuite,
  journal: journalSuite,
  wire: wireSuite,
  server: serverSuite,
  cli: cliSuite,
  cluster: clusterSuite,
  scale: scaleSuite,
  stall: stallSuite,
  viewer: viewerSuite,
  pxsw: pxswSuite,
};

const suite = SUITES[process.argv[2] ?? ""];
if (suite === undefined) {
  console.error(`usage: npm run bench -- SUITE\nsuites: ${Object.keys(SUITES).join(", ")}`);
  process.exitCode = 2;
} else {
  const [cpu] = cpus();
  console.log(
    `machine: ${cpus().length} x ${cpu?.model ?? "unknown"}, Node ${process.version}, ${process.platform}`,
  );
  for await (const { line, missed } of suite()) {
    console.log(missed ? `${line} MISSED` : line);
    if (missed) process.exitCode = 1;
  }
}
