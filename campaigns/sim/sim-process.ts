import { playCases } from "./case-process.ts";
import { faultOfCase } from "./simulation.ts";

playCases(({ seed, steps }) => faultOfCase(seed, steps));
