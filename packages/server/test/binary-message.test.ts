import { binaryMessage, JOINED_BYTES_MAX } from "@orthant/server/internal";
import { describe, expect, test } from "vitest";

describe("a binary WebSocket message", () => {
  test.each([
    [0, "8200"],
    [1, "8201"],
    [125, "827d"],
    [126, "827e007e"],
    [300, "827e012c"],
    [JOINED_BYTES_MAX, "827e0fa0"],
  ])("a message of %i bytes has them behind the header of RFC 6455, in one buffer", (length, head) => {
    const payload = new Uint8Array(length).map((_, index) => index % 251);
    const message = binaryMessage(payload);
    expect(message.subarray(0, head.length / 2).toString("hex")).toBe(head);
    expect(new Uint8Array(message.subarray(head.length / 2))).toEqual(payload);
  });
});
