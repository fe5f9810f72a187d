import type { Position } from "@orthant/core";
import { PositionMap } from "@orthant/core/lattice";
import { type PlaceQueues, PlaceSection } from "@orthant/protocol/internal";
import { Prng } from "@orthant/testkit";
import { describe, expect, test } from "vitest";
import { settle } from "./sample-session.ts";

const chunk = (x: number): Position => [x, 0, 0, 0];

describe("sections of chunks", () => {
  test("sections of chunks that share a chunk run one after the other, in order, and others at once", async () => {
    const queues: PlaceQueues = new PositionMap();
    const entered: string[] = [];
    const enter = async (name: string, ...xs: readonly number[]) => {
      const section = await PlaceSection.enter(queues, xs.map(chunk));
      entered.push(name);
      return section;
    };
    const first = enter("first", 1, 2);
    const second = enter("second", 2, 3);
    const third = enter("third", 3);
    const other = enter("other", 4);
    await settle();
    expect(entered).toEqual(["first", "other"]);
    (await first).leave();
    await settle();
    expect(entered).toEqual(["first", "other", "second"]);
    (await second).leave();
    (await third).leave();
    (await other).leave();
    expect(queues.size, "nothing is left").toBe(0);
  });

  test("may take more chunks ahead of those that wait, but not from one that runs", async () => {
    const queues: PlaceQueues = new PositionMap();
    const first = await PlaceSection.enter(queues, [chunk(1)]);
    let order = "";
    const waiting = PlaceSection.enter(queues, [chunk(1), chunk(2)]).then((section) => {
      order += "waiting ";
      return section;
    });
    const running = await PlaceSection.enter(queues, [chunk(3)]);
    const extended = first.extend([chunk(1), chunk(2), chunk(2), chunk(3)]).then((isExtended) => {
      order += `extended ${isExtended} `;
    });
    await settle();
    expect(order).toBe("");
    running.leave();
    await extended;
    expect(order).toBe("extended true ");
    first.leave();
    (await waiting).leave();
    expect(order).toBe("extended true waiting ");
    expect(queues.size).toBe(0);
  });

  test("never wait for each other: the second of two that want each other's chunk gets none", async () => {
    const queues: PlaceQueues = new PositionMap();
    const [one, two] = [
      await PlaceSection.enter(queues, [chunk(1)]),
      await PlaceSection.enter(queues, [chunk(2)]),
    ];
    const extended = one.extend([chunk(2)]);
    expect(await two.extend([chunk(1)])).toBe(false);
    two.leave();
    expect(await extended).toBe(true);
    one.leave();
    expect(queues.size).toBe(0);
  });

  test("random sections never overlap, all end, and leave nothing", async () => {
    const prng = new Prng(20);
    const queues: PlaceQueues = new PositionMap();
    const users = new Map<number, number>();
    let ended = 0;
    const use = (xs: Iterable<number>, step: 1 | -1): void => {
      for (const x of xs) {
        users.set(x, (users.get(x) ?? 0) + step);
        expect(users.get(x)).toBeLessThan(2);
      }
    };
    const pause = async (): Promise<void> => {
      for (let turns = prng.below(8); turns > 0; turns--) await Promise.resolve();
    };
    const run = async (): Promise<void> => {
      const own = new Set(Array.from({ length: 1 + prng.below(4) }, () => prng.below(12)));
      const section = await PlaceSection.enter(queues, [...own].map(chunk));
      use(own, 1);
      await pause();
      const more = new Set(Array.from({ length: prng.below(3) }, () => prng.below(12)));
      for (const x of own) more.delete(x);
      if (more.size > 0 && (await section.extend([...more].map(chunk)))) {
        use(more, 1);
        for (const x of more) own.add(x);
      }
      await pause();
      use(own, -1);
      section.leave();
      ended++;
    };
    const work: Promise<void>[] = [];
    for (let count = 0; count < 3_000; count++) {
      work.push(run());
      await pause();
    }
    await Promise.all(work);
    expect([ended, queues.size]).toEqual([3_000, 0]);
  });
});
