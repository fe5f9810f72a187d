import { describe, expect, test } from "vitest";
import { LIGHT_MUTANTS } from "./light/light-mutants.ts";
import { playLightWorld } from "./light/light-worlds.ts";
import { faultOfLightMutant } from "./light.ts";

const TIMEOUT_MS = 240_000;

describe("the light of a world that is edited at random", () => {
  test(
    "[L4] [L5] [L6] [L8] [L10] equals that of a plain model, in memory and on disk",
    async () => {
      for (let world = 0; world < 9; world++)
        expect(await playLightWorld(1, world, { roundsMax: 1 })).toMatchObject({ fault: undefined });
    },
    TIMEOUT_MS,
  );

  test.each(LIGHT_MUTANTS.map(({ fault }) => fault))(
    "is not that of the model if %s",
    async (fault) => {
      expect(await faultOfLightMutant(fault)).toMatch(/^world \d+/);
    },
    TIMEOUT_MS,
  );
});
