import { encodeGameMessage, gameMessageIn } from "@orthant/protocol";
import { codeOf } from "@orthant/testkit";
import { describe, expect, test } from "vitest";

const hexOf = (bytes: Uint8Array): string => Buffer.from(bytes).toString("hex");

describe("[N39] a game message", () => {
  test("begins with 0 for bytes, and with 1 for JSON", () => {
    expect(hexOf(encodeGameMessage(Uint8Array.of(7, 8)))).toBe("000708");
    expect(hexOf(encodeGameMessage({ a: 1 }))).toBe(`01${Buffer.from('{"a":1}').toString("hex")}`);
    expect(gameMessageIn(Uint8Array.of(0, 7, 8))).toEqual({ message: Uint8Array.of(7, 8) });
    expect(gameMessageIn(Buffer.from('\u0001{"a":1}'))).toEqual({ message: { a: 1 } });
  });

  test.each<[value: unknown]>([
    [null],
    [true],
    [0.5],
    ["text \u{1F600} \ud800"],
    [[]],
    [{}],
    [{ type: "chat", lines: ["a", null, { deep: [1, [2]] }], __proto__: null }],
    [new Uint8Array(0)],
    [Buffer.from("bytes")],
    [new Uint8Array(16_383)],
    ["x".repeat(16_381)],
  ])("a game message of %j arrives as it was sent", (value) => {
    const received = gameMessageIn(encodeGameMessage(value))?.message;
    if (value instanceof Uint8Array) expect(received).toEqual(new Uint8Array(value));
    else expect(received).toEqual(value);
  });

  const cycle: Record<string, unknown> = {};
  cycle["self"] = { again: cycle };
  let deep: unknown = 0;
  for (let depth = 0; depth < 100; depth++) deep = [deep];
  test.each<[value: unknown, problem: string]>([
    [undefined, "the message is undefined; JSON has no undefined: leave it out, or send null"],
    [{ a: undefined }, "the message.a is undefined; JSON has no undefined"],
    [Array(3), "the message[0] is undefined"],
    [() => 1, "the message is a function; JSON cannot hold it: send data"],
    [Symbol("s"), "the message is a symbol; JSON cannot hold it"],
    [{ id: 7n }, "the message.id is 7 (a bigint); JSON has no bigint: send its text, String(value)"],
    [{ at: [Number.NaN] }, "the message.at[0] is NaN (a number); JSON has no such number"],
    [{ at: Number.POSITIVE_INFINITY }, "JSON has no such number"],
    [cycle, "the message.self.again is an object; it contains itself: send data without cycles"],
    [deep, "it is nested more than 64 deep: send flatter data"],
    [{ when: new Date(0) }, "JSON has no Date: send a plain object"],
    [new Map(), "JSON has no Map"],
    [
      { bytes: new Uint8Array(1) },
      "JSON has no Uint8Array: send a plain object, a list, or only a Uint8Array",
    ],
    [new Float32Array(1), "JSON has no Float32Array"],
  ])("a game message of %o is refused with what to do", (value, problem) => {
    expect(() => encodeGameMessage(value)).toThrow(problem);
    expect(codeOf(() => encodeGameMessage(value))).toBe("ORT_ARGUMENT");
  });

  test("a game message that is too long is refused", () => {
    expect(codeOf(() => encodeGameMessage(new Uint8Array(16_384)))).toBe("ORT_LIMIT");
    expect(codeOf(() => encodeGameMessage("x".repeat(16_382)))).toBe("ORT_LIMIT");
  });

  test.each<[what: string, payload: Uint8Array]>([
    ["nothing", new Uint8Array(0)],
    ["another kind", Uint8Array.of(2, 0)],
    ["no JSON", Uint8Array.of(1)],
    ["invalid JSON", Buffer.from("\u0001{a:1}")],
    ["invalid UTF-8", Uint8Array.of(1, 0x22, 0xff, 0x22)],
  ])("a message with %s is not a message for a game", (_what, payload) => {
    expect(gameMessageIn(payload)).toBeUndefined();
  });
});
