import { CRASH_MODELS } from "@orthant/testkit";
import { describe, expect, test } from "vitest";
import { LONG_JOURNAL, SHORT_JOURNAL } from "./journal/journal-history.ts";
import { isCaught, JOURNAL_MUTANTS, proveJournal } from "./journal/prove-journal.ts";

const SEED = 5;
const TIMEOUT_MS = 120_000;
/** Those without a sync take a minute each, which only `npm run campaign -- journal` spends. */
const QUICK_MUTANTS = JOURNAL_MUTANTS.filter(({ step }) => !/ sync /.test(step));

describe("power cuts on a world with a journal", () => {
  test.each(CRASH_MODELS.map((model) => [model.name, model] as const))(
    "[J14] %s loses no acknowledged edit, and keeps the others as an unbroken prefix",
    async (_name, model) => {
      const proof = await proveJournal(LONG_JOURNAL, { models: [model], disksPerCut: 1, seed: SEED });
      expect(proof.played.acknowledged.length).toBeGreaterThan(20);
      expect(proof.exact).toBeGreaterThan(0);
      expect(proof.more).toBeGreaterThan(0);
    },
    TIMEOUT_MS,
  );

  test(
    "leave no fault in the short history that the mutants run on",
    async () => {
      expect((await proveJournal(SHORT_JOURNAL, { disksPerCut: 1, seed: SEED })).disks).toBeGreaterThan(100);
    },
    TIMEOUT_MS,
  );

  test.each(QUICK_MUTANTS.map((mutant) => [mutant.step, mutant] as const))(
    "expose a world that leaves out %s",
    async (_step, mutant) => {
      expect(await isCaught(mutant, SEED)).toBe(true);
    },
    TIMEOUT_MS,
  );
});
