import { setTimeout as delay } from "node:timers/promises";
import { systemCode } from "./system-error.ts";

/** Codes with which Windows refuses to replace or remove a file that any program has open. */
const HELD: ReadonlySet<string> = new Set(["EPERM", "EACCES", "EBUSY"]);
const FIRST_WAIT_MS = 5;
/** Waits double up to this. The last is the end of about five seconds. */
const WAIT_MS_MAX = 2_560;

/**
 * Changes a name in a directory. On Windows it tries again for five seconds while a program has the file open: a
 * command that reads the world, a virus scanner or a search index. Other systems do not refuse, so it tries once.
 */
export async function untilReleased<Result>(change: () => Promise<Result>): Promise<Result> {
  for (let waitMs = FIRST_WAIT_MS; process.platform === "win32" && waitMs <= WAIT_MS_MAX; waitMs *= 2) {
    try {
      return await change();
    } catch (error) {
      if (!HELD.has(systemCode(error))) throw error;
      await delay(waitMs);
    }
  }
  return change();
}
