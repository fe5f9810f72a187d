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
