import { JournalCapacity } from "@orthant/cluster/internal";
import { FakeTime } from "@orthant/testkit";
import { settled } from "@orthant/testkit/cluster";
import { expect, test } from "vitest";

const SIZE = 4_096;
const HOUR_MS = 3_600_000;

test("[K39] records wait for room in a full journal for ten seconds, even if the clock is set back", async () => {
  const time = new FakeTime();
  let attempts = 0;
  const journal = {
    state: async () => ({ first: 1, last: 9, bytes: SIZE }),
    append: async () => {
      attempts++;
      return { kind: "full" as const };
    },
    async *read() {},
    trim: async () => undefined,
    reserve: async () => SIZE,
  };
  const room = await JournalCapacity.open(journal, SIZE, time);
  const append = (): ReturnType<JournalCapacity["append"]> => room.append([], 9, () => undefined);
  const startMs = time.nowMs();
  expect(await settled(time, append())).toEqual({ kind: "full" });
  expect(time.nowMs() - startMs).toBe(10_000);
  expect(attempts).toBe(41);

  const nowMs = time.nowMs.bind(time);
  const again = append();
  time.nowMs = () => nowMs() - HOUR_MS;
  expect(await settled(time, again)).toEqual({ kind: "full" });
  expect(attempts).toBeLessThan(82);
});
