import { hasGolden } from "@orthant/testkit/golden";
import { runSuite } from "./suite.ts";
import { goldenSuites } from "./suites.ts";

// npm run golden: prints a line for each file, then one for each folder.
const folders = new Map<string, { passed: number; total: number }>();
for (const suite of goldenSuites) {
  if (!hasGolden(suite.file)) {
    console.log(`  ${suite.file}: SKIPPED`);
    continue;
  }
  const { file, total, failures } = await runSuite(suite);
  for (const failure of failures) console.log(`  FAIL ${file}: ${failure}`);
  console.log(`  ${file}: ${total - failures.length} of ${total}`);
  const [name = file] = file.split("/");
  const counts = folders.get(name) ?? { passed: 0, total: 0 };
  folders.set(name, { passed: counts.passed + total - failures.length, total: counts.total + total });
}
for (const [name, { passed, total }] of folders) console.log(`${name}: ${passed} of ${total}`);
process.exitCode = [...folders.values()].every(({ passed, total }) => passed === total) ? 0 : 1;
