import { playCases } from "../sim/case-process.ts";
import { faultOfOperatedWorlds } from "./faults-of-operations.ts";

playCases(({ seed }) => faultOfOperatedWorlds(seed));
