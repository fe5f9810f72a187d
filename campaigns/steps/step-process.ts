import { playCases } from "../sim/case-process.ts";
import { faultOfMemory } from "./memory-steps.ts";
import { faultOfPowerCuts } from "./step-power-cuts.ts";

playCases(async ({ seed, steps }) => (await faultOfMemory(seed, 2)) ?? (await faultOfPowerCuts(seed, steps)));
