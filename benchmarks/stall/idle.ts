import { endWithParent } from "../child.ts";
import { LatenessWatch } from "./lateness.ts";

// An idle process that watches the clock, and reports its lateness on request.
const watch = new LatenessWatch();
endWithParent();
process.once("message", () => process.send?.(watch.end()));
