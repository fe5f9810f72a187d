import { playCases } from "../sim/case-process.ts";
import { faultOfEdits } from "./edited-world.ts";

playCases(({ seed, steps }) => faultOfEdits(seed, steps));
