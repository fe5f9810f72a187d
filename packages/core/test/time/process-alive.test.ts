import { runProgram } from "@orthant/testkit/process";
import { expect, test } from "vitest";

test("a timer of the system clock keeps the process alive only if a promise waits for it", async () => {
  const waiting = await runProgram(`
    import { systemTime } from "@orthant/core";
import { sleep } from "@orthant/core/time";
    systemTime.after(600_000, () => console.log("in the background"));
    systemTime.wait(600_000, () => console.log("cancelled")).cancel();
    await sleep(systemTime, 5);
    await new Promise((resolve) => systemTime.wait(5, resolve));
    console.log("awake");
  `);
  expect(waiting).toEqual({ exitCode: 0, output: "awake\n", errors: "" });
});
