import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { expect, test } from "vitest";

const run = promisify(execFile);
const ROOT = fileURLToPath(new URL("../../../", import.meta.url));

/** Runs a program that uses the packages as they are built, and gives what it prints. */
async function printedBy(program: string): Promise<string> {
  const { stdout } = await run(process.execPath, ["--input-type=module", "-e", program], { cwd: ROOT });
  return stdout;
}

test("a client in Node keeps its process alive while it waits to connect, and not when it is closed", async () => {
  // Nobody listens at port 1. With so little jitter the waits are an eighth of what they could be.
  const printed = await printedBy(`
    import { connect } from "@orthant/client/node";
    const client = connect("ws://127.0.0.1:1", { random: () => 1n << 50n });
    let attempts = 0;
    client.onStatus((status) => {
      if (status === "waiting" && ++attempts === 3) client.close().then(() => console.log("closed by itself"));
    });
  `);
  expect(printed).toBe("closed by itself\n");
});

test("what a listener throws is reported, and stops nobody else", async () => {
  const printed = await printedBy(`
    import { connect } from "@orthant/client/node";
    process.on("unhandledRejection", (error) => console.log("reported:", error.message));
    const client = connect("ws://127.0.0.1:1");
    client.onStatus(() => { throw new Error("an apple"); });
    client.onStatus((status) => console.log(status));
    client.close();
  `);
  expect(printed).toBe("closed\nreported: an apple\n");
});
