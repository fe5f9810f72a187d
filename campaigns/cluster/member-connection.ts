import { setTimeout as delay } from "node:timers/promises";
import type { Engine } from "@orthant/cluster";
import { connectNats } from "@orthant/cluster/nats";
import { isOrthantError } from "@orthant/core";
import { TEST_CREDENTIALS } from "@orthant/testkit/nats";
import type { MemberNews, MemberSettings } from "./member-orders.ts";

const RETRY_MS = 200;
const JOURNAL_BYTES_MAX = 64 * 1024 * 1024;

/** Returns the settings that the process was started with. */
export function readSettings(): MemberSettings {
  // Exits when the parent process ends.
  process.on("disconnect", () => process.exit());
  return JSON.parse(process.argv[2] ?? "{}") as MemberSettings;
}

/** Connects a member to the engine, retrying until one is available. */
export async function joinEngine({ servers, name }: MemberSettings): Promise<Engine> {
  for (;;) {
    try {
      return await connectNats({
        ...{ servers, name, credentials: TEST_CREDENTIALS, journalBytesMax: JOURNAL_BYTES_MAX },
      });
    } catch (error) {
      if (!isOrthantError(error, "ORT_ENGINE_AWAY")) throw error;
      await delay(RETRY_MS);
    }
  }
}

/** Sends news to the parent process. */
export function say(news: MemberNews): void {
  process.send?.(news);
}
