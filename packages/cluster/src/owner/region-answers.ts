import { type Place, placesLexicographic, regionBox } from "@orthant/core";
import type { JournalChunk } from "@orthant/formats";
import type { World } from "@orthant/world";
import type { OwnerAnswer, RegionAnswer, RegionWish } from "../shard/owner-message.ts";
import type { ShardLog } from "./shard-log.ts";

/** About how many bytes of chunks one answer may have. */
const ANSWER_BYTES = 786_432;

/**
 * What regions are like now. What is told is stored when this resolves. A region of which the asker heard a later clock
 * than the world has, which can be when a journal was lost, gets a new clock first: no clock falls for anybody, and
 * nobody waits for one that never comes. Rule K20.
 */
export async function answerWishes(
  world: World,
  wishes: readonly RegionWish[],
  owns: (region: Place) => boolean,
  log: Pick<ShardLog, "cut" | "whenSafe">,
): Promise<OwnerAnswer> {
  const answers: RegionAnswer[] = [];
  let room = ANSWER_BYTES;
  for (const wish of wishes) {
    const answer = room <= 0 ? LATER : await answerOf(world, wish, owns, room, log);
    if (answer.kind === "chunks") room -= answer.chunks.reduce((sum, change) => sum + bytesOf(change), 1);
    answers.push(answer);
  }
  await log.whenSafe();
  return { kind: "regions", answers };
}

const LATER: RegionAnswer = { kind: "later" };

async function answerOf(
  world: World,
  { region, held, heard, at, from }: RegionWish,
  owns: (region: Place) => boolean,
  room: number,
  log: Pick<ShardLog, "cut">,
): Promise<RegionAnswer> {
  if (!owns(region)) return { kind: "elsewhere" };
  const box = regionBox(region);
  // Kept until it is read: another question may let it go for its own.
  const release = world.keep(box);
  try {
    await world.load(box);
    if ((world.clockOf(region) ?? 0) < heard) await world.renewClocks([region]);
    const clock = world.clockOf(region) ?? 0;
    // A clock that is told is one that a record ends at, so that the next record builds on it.
    log.cut();
    if (clock === held && from === 0) return { kind: "same" };
    // What was told before is of another moment: all of it comes again.
    const start = at === clock ? from : 0;
    const made: JournalChunk[] = [];
    let skipped = 0;
    let bytes = 0;
    const { overrides } = world.field;
    for (const place of placesLexicographic(box)) {
      const chunk = overrides.at(...place);
      if (chunk === undefined || skipped++ < start) continue;
      if (made.length > 0 && bytes + chunk.byteLength > room)
        return { kind: "chunks", clock, chunks: made, more: true };
      made.push({ place, chunk });
      bytes += chunk.byteLength;
    }
    return { kind: "chunks", clock, chunks: made, more: false };
  } finally {
    release();
  }
}

function bytesOf(change: JournalChunk): number {
  return "chunk" in change ? change.chunk.byteLength : 0;
}
