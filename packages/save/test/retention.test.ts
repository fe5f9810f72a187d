import { DEFAULT_RETENTION, type Retention } from "@orthant/save";
import { type DatedGeneration, keptGenerations } from "@orthant/save/internal";
import { Prng } from "@orthant/testkit";
import { describe, expect, test } from "vitest";

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const NOBODY: ReadonlySet<number> = new Set();

/** Generations 0, 1, 2... at these times. */
const at = (...times: readonly number[]): readonly DatedGeneration[] =>
  times.map((atMs, generation) => ({ generation, atMs }));

function kept(generations: readonly DatedGeneration[], retention: Partial<Retention>): readonly number[] {
  const policy = { newest: 1, hours: 0, days: 0, ...retention };
  return [...keptGenerations(generations, NOBODY, policy)].sort((a, b) => a - b);
}

/** Makes commits one after the other, each followed by retiring what is not kept. */
class History {
  #generations: readonly DatedGeneration[] = [];
  #next = 0;

  commit(atMs: number, named: ReadonlySet<number>, retention: Retention): ReadonlySet<number> {
    this.#generations = [...this.#generations, { generation: this.#next++, atMs }];
    const stays = keptGenerations(this.#generations, named, retention);
    this.#generations = this.#generations.filter(({ generation }) => stays.has(generation));
    return stays;
  }
}

describe("what retention keeps", () => {
  test.each<
    [
      what: string,
      generations: readonly DatedGeneration[],
      retention: Partial<Retention>,
      kept: readonly number[],
    ]
  >([
    ["the newest by number", at(9, 8, 7, 6), { newest: 2 }, [2, 3]],
    ["all there is when there is less", at(1), { newest: 5, hours: 5, days: 5 }, [0]],
    ["nothing of nothing", [], { newest: 5 }, []],
    ["the last of each minute", at(0, 10, MINUTE, MINUTE + 10, 2 * MINUTE), { minutes: 2 }, [3, 4]],
    ["the last of each hour", at(0, 10, HOUR, HOUR + 10, 2 * HOUR), { hours: 3 }, [1, 3, 4]],
    ["no more hours than asked for", at(0, HOUR, 2 * HOUR, 3 * HOUR), { hours: 2 }, [2, 3]],
    ["hours in which there was a commit", at(0, 10, 400 * HOUR, 800 * HOUR), { hours: 3 }, [1, 2, 3]],
    ["the last of each day in UTC", at(DAY - 1, DAY, DAY + HOUR, 3 * DAY - 1), { days: 3 }, [0, 2, 3]],
    [
      "the past, when a clock was a century ahead once",
      at(0, HOUR, 900_000 * HOUR, HOUR + 1),
      { hours: 3 },
      [0, 2, 3],
    ],
    [
      "the past, when a clock fell back to 1970",
      at(500 * HOUR, 501 * HOUR, 0, 502 * HOUR),
      { hours: 4 },
      [0, 1, 2, 3],
    ],
    [
      "the later of two hours of the same name",
      at(5 * HOUR, 6 * HOUR, 5 * HOUR + 1, 6 * HOUR + 1),
      { hours: 9 },
      [2, 3],
    ],
  ])("[S85] includes %s", (_what, generations, retention, expected) => {
    expect(kept(generations, retention)).toEqual(expected);
  });

  test("[S85] has a state of each of the last ten minutes by default, of a world that saves every five seconds", () => {
    const history = new History();
    let stays: ReadonlySet<number> = NOBODY;
    for (let ms = 0; ms < 20 * MINUTE; ms += 5 * SECOND) {
      stays = history.commit(10 * DAY + ms, NOBODY, DEFAULT_RETENTION);
    }
    const perMinute = 12;
    const ends = Array.from({ length: 10 }, (_, minute) => (11 + minute) * perMinute - 1);
    expect([...stays].sort((a, b) => a - b)).toEqual([...ends, 20 * perMinute - 2].sort((a, b) => a - b));
  });

  test("[S85] includes every named generation that exists", () => {
    const stays = keptGenerations(at(0, 1, 2, 3), new Set([1, 77]), { newest: 1, hours: 0, days: 0 });
    expect([...stays].sort()).toEqual([1, 3]);
  });

  test("[S85] stays within the bound for a year of commits, and reaches back ten minutes, and a month", () => {
    const history = new History();
    const named = new Set([3, 50_000]);
    let stays: ReadonlySet<number> = NOBODY;
    let most = 0;
    for (let ms = 0; ms < 365 * DAY; ms += 5 * MINUTE) {
      stays = history.commit(ms, named, DEFAULT_RETENTION);
      most = Math.max(most, stays.size);
    }
    expect(most).toBeLessThanOrEqual(2 + 10 + 24 + 30 + named.size);
    const perDay = DAY / (5 * MINUTE);
    const last = 365 * perDay - 1;
    for (let back = 0; back < 10; back++) expect(stays.has(last - back)).toBe(true);
    // The last generation of the day 29 days before the last one.
    expect(stays.has((365 - 29) * perDay - 1)).toBe(true);
    expect(stays.has((365 - 30) * perDay - 1)).toBe(false);
    for (const generation of named) expect(stays.has(generation)).toBe(true);
  });

  test("[S85] is the same when retiring commit by commit as for the whole history at once, whatever the clock does", () => {
    for (let seed = 1; seed <= 60; seed++) {
      const prng = new Prng(seed);
      const minutes = prng.below(6);
      const retention = { newest: 1 + prng.below(3), minutes, hours: prng.below(6), days: prng.below(6) };
      const named = new Set([prng.below(200), prng.below(200)]);
      const history = new History();
      const all: DatedGeneration[] = [];
      let nowMs = 50 * DAY;
      for (let generation = 0; generation < 200; generation++) {
        const jump = prng.below(20) === 0 ? (prng.below(2) === 0 ? -1 : 1) * prng.below(40) * DAY : 0;
        nowMs = Math.max(0, nowMs + prng.below(90 * MINUTE) + jump);
        all.push({ generation, atMs: nowMs });
        const stays = history.commit(nowMs, named, retention);
        const whole = keptGenerations(all, named, retention);
        expect([...stays].sort(), `seed ${seed}, generation ${generation}`).toEqual([...whole].sort());
      }
    }
  });
});
