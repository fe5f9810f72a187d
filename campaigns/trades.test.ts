import { expect, test } from "vitest";
import { cutPowerInTrades, faultOfRush } from "./trades/faults-of-trades.ts";
import { TRADES_MUTANTS } from "./trades/trades-mutants.ts";
import { faultOfTradesMutant } from "./trades.ts";

const TIMEOUT_MS = 240_000;

test.each([1, 2])("50 clients who trade at the same moment make and lose no item, seed %i", async (seed) => {
  expect(await faultOfRush(seed)).toBeUndefined();
});

test.each(["journal", "snapshot"] as const)(
  "[J41] a power cut at any operation leaves each trade whole (%s)",
  async (durability) => {
    await cutPowerInTrades(durability, 3, { disksPerCut: 1, seed: 3 });
  },
  TIMEOUT_MS,
);

test.each(TRADES_MUTANTS.map(({ fault }) => fault))(
  "items are made or lost if %s",
  async (fault) => {
    expect(await faultOfTradesMutant(fault)).toBeDefined();
  },
  TIMEOUT_MS,
);
