import { playCases } from "../sim/case-process.ts";
import { faultOfTrades } from "./faults-of-trades.ts";

playCases(({ seed }) => faultOfTrades(seed));
