import { playCases } from "../sim/case-process.ts";
import { playLightWorld } from "./light-worlds.ts";
import { FLAT_SHAPES } from "./lit-land.ts";

/** Plays the world whose number is the seed. */
playCases(async ({ seed, steps }) => {
  const { fault } = await playLightWorld(1, seed, { shapes: FLAT_SHAPES, roundsMax: steps });
  return fault;
});
