import {
  callback,
  checkedOptions,
  choiceOf,
  fieldsOf,
  matching,
  type OptionTable,
  requireFlag,
  secret,
  upTo,
  whole,
  withMethods,
} from "@orthant/core/arguments";
import { describe, expect, test } from "vitest";

interface Options {
  readonly count?: number;
  readonly share?: number;
  readonly mode?: "fast" | "slow";
  readonly isOn?: boolean;
  readonly onDone?: () => void;
  readonly name?: string;
  readonly key?: string;
  readonly disk?: { read(): void };
  readonly nested?: { readonly depth?: number };
}

const TABLE: OptionTable<Options> = {
  count: whole(1, 9),
  share: upTo(1),
  mode: choiceOf("fast", "slow"),
  isOn: requireFlag,
  onDone: callback,
  name: matching("it is lower case", (value) => typeof value === "string" && /^[a-z]+$/.test(value)),
  key: secret("it is text", (value) => typeof value === "string"),
  disk: withMethods("it is a disk", "read"),
  nested: fieldsOf({ depth: whole(0, 3) }),
};

function check(options: object): Options {
  return checkedOptions("the options", options as Options, TABLE);
}

describe("checkedOptions", () => {
  test("returns a copy without options that are undefined", () => {
    const given = { count: 3, share: undefined, nested: { depth: 1 } };
    const checked = check(given);
    expect(checked).toEqual({ count: 3, nested: { depth: 1 } });
    expect(Object.keys(checked)).toEqual(["count", "nested"]);
    expect(checked.nested).not.toBe(given.nested);
  });

  test.each<[options: object, message: string]>([
    [{ count: 10 }, "count is 10 (a number); it is a whole number from 1 to 9"],
    [{ count: 1.5 }, "count is 1.5 (a number); it is a whole number from 1 to 9"],
    [{ share: Number.NaN }, "share is NaN (a number); it is a number from 0 to 1"],
    [{ mode: "medium" }, 'mode is "medium" (a string); it is "fast" or "slow"'],
    [{ isOn: 1 }, "isOn is 1 (a number); it is true or false"],
    [{ onDone: {} }, "onDone is an object; it is a function"],
    [{ name: "Ada" }, 'name is "Ada" (a string); it is lower case'],
    [{ key: 7 }, "key is of type number; it is text"],
    [{ disk: {} }, "disk is an object; it is a disk"],
    [{ disk: null }, "disk is null; it is a disk"],
    [{ nested: { depth: 4 } }, "nested.depth is 4 (a number); it is a whole number from 0 to 3"],
    [{ nested: { keys: "secret" } }, "there is no field keys in nested; there are depth"],
    [{ "\u001b[2J": 1 }, "there is no field \\u001b[2J in the options; there are count"],
  ])("refuses %o with the option, its value and what would be right", (options, message) => {
    expect(() => check(options)).toThrow(message);
    expect(() => check(options)).toThrow(expect.objectContaining({ code: "ORT_ARGUMENT" }));
    expect(() => check(options)).not.toThrow("secret");
  });

  test("refuses options that are not an object", () => {
    expect(() => check([] as object)).toThrow("the options is []; it is an object with some of");
  });
});
