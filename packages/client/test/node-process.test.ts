import { runProgram } from "@orthant/testkit/process";
import { expect, test } from "vitest";

test("a client in Node keeps its process alive while it waits to connect, but not after it is closed", async () => {
  // Nothing listens at port 1. With this little jitter the waits are an eighth of their maximum.
  const ended = await runProgram(`
    import { connectReplica } from "@orthant/client/node";
    const client = connectReplica("ws://127.0.0.1:1", { random: () => 1n << 50n });
    let attempts = 0;
    client.onStatus((status) => {
      if (status === "waiting" && ++attempts === 3) client.close().then(() => console.log("closed by itself"));
    });
  `);
  expect(ended).toEqual({ exitCode: 0, output: "closed by itself\n", errors: "" });
});

test("an error in a listener is reported and does not affect other listeners", async () => {
  const ended = await runProgram(`
    import { connectReplica } from "@orthant/client/node";
    process.on("unhandledRejection", (error) => console.log("reported:", error.message));
    const client = connectReplica("ws://127.0.0.1:1");
    client.onStatus(() => { throw new Error("an apple"); });
    client.onStatus((status) => console.log(status));
    client.close();
  `);
  expect(ended).toEqual({ exitCode: 0, output: "closed\nreported: an apple\n", errors: "" });
});
