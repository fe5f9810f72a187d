import type { OrthantServer } from "@orthant/server";
import { expect, test } from "vitest";
import { serve } from "./served-world.ts";

test("the methods of a server refuse wrong arguments, with what would be right", async () => {
  const server = await serve();
  const mistakes: readonly (readonly [call: (server: OrthantServer<never>) => unknown, problem: string])[] = [
    [
      (to) => to.send(7 as never, {}),
      "playerId is 7 (a number); it is a bigint from 0n to 2n ** 64n - 1n: write 7n",
    ],
    [(to) => to.send("7" as never, {}), 'playerId is "7" (a string); it is a bigint'],
    [(to) => to.send(-1n, {}), "playerId is -1 (a bigint); it is a bigint from 0n"],
    [(to) => to.send(7n, undefined), "the message is undefined; JSON has no undefined"],
    [(to) => to.send(7n, { id: 7n }), "the message.id is 7 (a bigint); JSON has no bigint"],
    [(to) => to.broadcast(() => 1), "the message is a function; JSON cannot hold it"],
    [(to) => to.kick(7 as never, "go"), "playerId is 7 (a number)"],
    [(to) => to.kick(7n, undefined as never), "reason is undefined; it is a string"],
    [(to) => to.revoke(undefined as never), "the revocation is undefined"],
    [(to) => to.allow({} as never), "cannot revoke"],
    [(to) => to.replaceRevoked(5 as never), "revoked is 5 (a number); it is a list of revocations"],
    [(to) => to.close(5 as never), "options is 5 (a number); it is { detail?, retryAfterMs? }"],
    [(to) => to.close({ detail: 5 as never }), "detail is 5 (a number); it is a string"],
    [(to) => to.close({ retryAfterMs: -1 }), "retryAfterMs is -1 (a number); it is a whole number"],
  ];
  for (const [call, problem] of mistakes) {
    expect(() => call(server as OrthantServer<never>)).toThrow(`ORT_ARGUMENT: ${problem}`);
  }
  expect(server.connectionCount, "it still runs").toBe(0);
});
