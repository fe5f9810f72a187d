import { runProgram } from "@orthant/testkit/process";
import { expect, test } from "vitest";

test("a timer of the system clock keeps the process alive only if a promise waits for it", async () => {
  const waiting = await runProgram(`
    import { sleep, systemClock } from "@orthant/core";
    systemClock.after(600_000, () => console.log("in the background"));
    systemClock.wait(600_000, () => console.log("cancelled")).cancel();
    await sleep(systemClock, 5);
    await new Promise((resolve) => systemClock.wait(5, resolve));
    console.log("awake");
  `);
  expect(waiting).toEqual({ exitCode: 0, output: "awake\n", errors: "" });
});
