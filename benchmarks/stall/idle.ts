import { LatenessWatch } from "./lateness.ts";

// An idle process that watches the clock, and reports its lateness on request.
const watch = new LatenessWatch();
process.once("message", () => {
  process.send?.(watch.end());
  process.disconnect();
});
