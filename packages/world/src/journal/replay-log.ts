import { type ClockStep, OrthantError, regionBox } from "@orthant/core";
import { originOf } from "../last-edit-store.ts";
import type { WorldContent } from "../world-content.ts";
import { Replay } from "./replay.ts";
import type { LoggedChange } from "./world-log.ts";

/**
 * Replays a log. A change is applied where its regions have the clocks they had before it, and skipped where
 * they have later ones, since then the generation includes it. Any other clock means that the log belongs to
 * a different world. Rule K11.
 */
export async function replayLog(content: WorldContent, changes: AsyncIterable<LoggedChange>): Promise<void> {
  const replay = new Replay(content, 0);
  for await (const { steps, chunks, origins } of changes) {
    await content.whenLoaded(
      steps.map(({ region }) => regionBox(region)),
      async () => {
        if (steps.every(({ region, after }) => content.clocks.get(region) >= after)) return;
        for (const step of steps) requireClockBefore(content, step);
        const clocks = steps.map(({ region, after }) => ({ region, clock: after }));
        await replay.make({ kind: "edit", origin: undefined, chunks, clocks });
        for (const origin of origins) content.noteOrigin(originOf(origin));
      },
    );
  }
  replay.finish();
}

function requireClockBefore({ clocks }: WorldContent, { region, before, after }: ClockStep): void {
  const clock = clocks.get(region);
  if (clock === before) return;
  throw new OrthantError(
    "ORT_JOURNAL",
    `region [${region}] at clock ${clock}, and a record from ${before} to ${after}`,
  );
}
