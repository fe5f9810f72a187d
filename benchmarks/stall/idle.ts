import { LatenessWatch } from "./lateness.ts";

// A process that does nothing but look at the clock, until it is told to say how late it was.
const watch = new LatenessWatch();
process.once("message", () => {
  process.send?.(watch.end());
  process.disconnect();
});
