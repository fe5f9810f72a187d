import { CRASH_MODELS, proveSampleStore, STORE_MUTANTS, WEAK } from "@orthant/testkit";
import { describe, expect, test } from "vitest";

const SEED = 7;
const DISKS_PER_CUT = 300;

describe("the crash simulator proves itself on a small store", () => {
  test.each(CRASH_MODELS.map((model) => [model.name, model] as const))(
    "finds no fault in the whole commit under %s, and sees every outcome",
    async (_name, model) => {
      const proof = await proveSampleStore({ models: [model], disksPerCut: DISKS_PER_CUT, seed: SEED });
      expect([...proof.outcomes].sort()).toEqual([0, 1, 2, 3]);
      expect(proof.disks).toBeGreaterThan(50);
    },
  );

  test.each(STORE_MUTANTS.map(({ step, fault }) => [step, fault] as const))(
    "catches a commit without %s",
    async (_step, fault) => {
      const proof = proveSampleStore({ models: [WEAK], disksPerCut: DISKS_PER_CUT, seed: SEED }, fault);
      await expect(proof).rejects.toThrow(/model weak, cut at \d+, seed 7/);
    },
  );

  test("prints everything needed to reproduce a failure: reason, model, cut, seed and the log", async () => {
    const fault = { operation: "sync", path: /head/, kind: "skip", nth: 1 } as const;
    const message = await proveSampleStore(
      { models: [WEAK], disksPerCut: DISKS_PER_CUT, seed: SEED },
      fault,
    ).then(
      () => "no failure",
      (error: Error) => error.message,
    );
    expect(message).toMatch(/ORT_/);
    expect(message).toMatch(/model weak, cut at \d+, seed 7; left: /);
    expect(message).toMatch(/ {4}0 {2}makeDirectory data\n/);
    expect(message).toMatch(/ {2}--- {2}power cut\n/);
  });
});
