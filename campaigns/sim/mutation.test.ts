import { describe, expect, test } from "vitest";
import { argument, call, condition, literal, mutate, type Place, value } from "./mutation.ts";

const SOURCE = `
export class Door {
  async open(key, { log }) {
    if (this.#isLocked && !key.fits(this)) return "locked";
    await this.#hinge?.turn(90);
    log.add({ key, angle: 90 });
    this.state = this.#wind.blows ? "slams" : "open";
    return key.owner === this.owner;
  }
  close() { this.#hinge.turn(0); this.#hinge.turn(-1); }
}`;

function changed(place: Place, code: string, path = "house/Door.open"): string {
  const lines = mutate(SOURCE, [{ in: path, place, code }]).split("\n");
  const before = SOURCE.split("\n");
  return lines
    .filter((line, index) => line !== before[index])
    .join("\n")
    .trim();
}

describe("a change of code", () => {
  test.each<[name: string, place: Place, code: string, line: string]>([
    ["a call with its await", call("#hinge.turn"), "undefined", "(undefined);"],
    ["an argument", argument("turn", 0), "$ / 2", "await this.#hinge?.turn(((90) / 2));"],
    ["a property", value("angle"), "0", "log.add({ key, angle: (0) });"],
    ["a shorthand property", value("key"), "undefined", "log.add({ key: (undefined), angle: 90 });"],
    ["a field", value("state"), '"shut"', 'this.state = ("shut");'],
    ["an operand", condition("fits"), "false", 'if (this.#isLocked && (false)) return "locked";'],
    ["a returned value", condition("owner"), "true", "return (true);"],
    ["a text", literal("locked"), '"open"', 'if (this.#isLocked && !key.fits(this)) return ("open");'],
  ])("replaces %s", (_name, place, code, line) => {
    expect(changed(place, code)).toBe(line);
  });

  test("is refused unless there is exactly one place for it", () => {
    expect(() => changed(call("slam"), "undefined")).toThrow('house/Door.open has no call("slam")');
    expect(() => changed(call("turn"), "undefined", "house/Door.close")).toThrow(
      /more than one call\("turn"\)/,
    );
    expect(() => changed(call("turn"), "undefined", "house/Door.lock")).toThrow("there is no Door.lock");
    expect(changed(call("turn", 2), "undefined", "house/Door.close")).toContain("turn(0); (undefined);");
  });
});
