import { SerialQueue } from "@orthant/disk/files";
import { describe, expect, test } from "vitest";

/** Waits until everything that could run by now has run. */
async function someTurns(): Promise<void> {
  for (let turn = 0; turn < 20; turn++) await undefined;
}

describe("a serial queue", () => {
  test("runs tasks in the order of the calls, one after the other", async () => {
    const queue = new SerialQueue();
    const events: string[] = [];
    const results = [
      queue.run(() => events.push("first")),
      queue.run(async () => {
        events.push("second begins");
        await someTurns();
        events.push("second ends");
      }),
      queue.run(() => events.push("third")),
    ];
    events.push("the caller goes on");
    await Promise.all(results);
    expect(events).toEqual(["the caller goes on", "first", "second begins", "second ends", "third"]);
  });

  test("goes on after tasks that throw or reject, whose callers get the errors", async () => {
    const queue = new SerialQueue();
    const thrown = queue.run(() => {
      throw new Error("thrown");
    });
    const rejected = queue.run(() => Promise.reject(new Error("rejected")));
    const last = queue.run(() => "done");
    await expect(thrown).rejects.toThrow("thrown");
    await expect(rejected).rejects.toThrow("rejected");
    expect(await last).toBe("done");
  });

  test("calls until once for tasks that ran in one go, and runs the next tasks meanwhile", async () => {
    const queue = new SerialQueue();
    const events: string[] = [];
    const ends: (() => void)[] = [];
    const until = (): Promise<void> => {
      events.push("until");
      return new Promise((resolve) => ends.push(resolve));
    };
    const run = async (name: string): Promise<void> => {
      const result = await queue.run(() => events.push(name), until);
      events.push(`${name} after ${result}`);
    };
    const some = [run("first"), run("second")];
    await someTurns();
    const last = run("third");
    await someTurns();
    expect(events).toEqual(["first", "second", "until", "third", "until"]);
    ends[0]?.();
    await Promise.all(some);
    expect(events.slice(5)).toEqual(["first after 1", "second after 2"]);
    ends[1]?.();
    await last;
    expect(events.slice(7)).toEqual(["third after 4"]);
  });

  test("lets no caller wait for a slow task behind its own", async () => {
    const queue = new SerialQueue();
    let endSlow = (): void => undefined;
    const first = queue.run(
      () => "first",
      async () => undefined,
    );
    const slow = queue.run(
      () =>
        new Promise<void>((resolve) => {
          endSlow = resolve;
        }),
    );
    expect(await first).toBe("first");
    endSlow();
    await slow;
  });

  test("rejects the calls whose until fails, and goes on", async () => {
    const queue = new SerialQueue();
    const fail = (): Promise<void> => {
      throw new Error("until");
    };
    const calls = [queue.run(() => 1, fail), queue.run(() => 2, fail)];
    for (const call of calls) await expect(call).rejects.toThrow("until");
    expect(await queue.run(() => 3)).toBe(3);
  });

  test("is idle only when tasks that other tasks added have ended", async () => {
    const queue = new SerialQueue();
    const ended: number[] = [];
    void queue.run(() => {
      void queue.run(async () => {
        await someTurns();
        ended.push(2);
      });
      ended.push(1);
    });
    await queue.idle();
    expect(ended).toEqual([1, 2]);
  });
});
