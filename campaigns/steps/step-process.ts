import { playCases } from "../sim/case-process.ts";
import { faultOfPowerCuts } from "./step-power-cuts.ts";

playCases(({ seed, steps }) => faultOfPowerCuts(seed, steps));
