import { playCases } from "../sim/case-process.ts";
import { faultOfClusterCase } from "./cluster-simulation.ts";

playCases(({ seed, steps }) => faultOfClusterCase(seed, steps));
