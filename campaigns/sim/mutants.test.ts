import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { CLUSTER_MUTANTS } from "../cluster-sim/cluster-mutants.ts";
import { STEP_MUTANTS } from "../steps/step-mutants.ts";
import { SIM_MUTANTS } from "./sim-mutants.ts";

const PACKAGES = new URL("../../packages/", import.meta.url);
const MUTANTS = [...SIM_MUTANTS, ...CLUSTER_MUTANTS, ...STEP_MUTANTS];
/** Parses modules without running them, and prints what is wrong with each, or nothing. */
const PARSER = `
  const { SourceTextModule } = require("node:vm");
  const problemOf = (source) => {
    try {
      new SourceTextModule(source);
      return null;
    } catch (error) {
      return String(error);
    }
  };
  const sources = JSON.parse(require("node:fs").readFileSync(0, "utf8"));
  process.stdout.write(JSON.stringify(sources.map(problemOf)));
`;

test.each(MUTANTS)(
  "each text that the mutant replaces occurs exactly once in its module: $fault",
  ({ changes }) => {
    for (const { file, find } of changes) {
      expect(sourceOf(file).split(find), `${file}: ${find}`).toHaveLength(2);
    }
  },
);

test("every mutant is a program that can start", () => {
  const mutated = MUTANTS.flatMap(({ fault, changes }) =>
    [...new Set(changes.map(({ file }) => file))].map((file) => {
      const own = changes.filter((change) => change.file === file);
      return {
        fault,
        source: own.reduce((text, { find, replace }) => text.split(find).join(replace), sourceOf(file)),
      };
    }),
  );
  const printed = execFileSync(
    process.execPath,
    ["--no-warnings", "--experimental-vm-modules", "-e", PARSER],
    {
      input: JSON.stringify(mutated.map(({ source }) => source)),
      maxBuffer: 1e8,
    },
  );
  const problems = JSON.parse(printed.toString()) as readonly (string | null)[];
  const wrong = mutated.flatMap(({ fault }, index) =>
    problems[index] === null ? [] : [`${fault}: ${problems[index]}`],
  );
  expect(wrong).toEqual([]);
});

function sourceOf(file: string): string {
  return readFileSync(fileURLToPath(new URL(file, PACKAGES)), "utf8");
}
