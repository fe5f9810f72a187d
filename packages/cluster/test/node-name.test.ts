import { defaultNodeName, requireName } from "@orthant/cluster";
import { describe, expect, test } from "vitest";

describe("defaultNodeName", () => {
  test("differs between clones of one machine, and stays the same on each", () => {
    const name = defaultNodeName("Town-1.example.org", "52:54:00:00:00:01");
    expect(name).toMatch(/^town-1-[0-9a-f]{8}$/);
    expect(defaultNodeName("Town-1.example.org", "52:54:00:00:00:01")).toBe(name);
    expect(defaultNodeName("Town-1.example.org", "52:54:00:00:00:02")).not.toBe(name);
  });

  test("returns a valid name, even for a host with a long name or without a network card", () => {
    expect(() => requireName(defaultNodeName("h".repeat(63), "52:54:00:00:00:01"), "node")).not.toThrow();
    expect(defaultNodeName("alone.example.org")).toBe("alone");
  });
});
