import { describe, expect, test } from "vitest";
import { atMost, besideOthers, lineOf, ofLimit, told } from "../figure.ts";

describe("the line of a figure", () => {
  test("has the ratio to the bare limit and its budget", () => {
    const figure = ofLimit("save/one-chunk", 0.826, "bare append+sync", 0.5, "2.1 ms");
    expect(lineOf(figure)).toBe("save/one-chunk: 0.83 of bare append+sync (budget: at least 0.5); 2.1 ms");
  });

  test("omits a missing budget and an empty remark", () => {
    expect(lineOf(told("wire/join", 12_345.6, "bytes", ""))).toBe("wire/join: 12346 bytes");
  });

  test("marks a missed budget, in either direction and for a value that is not a number", () => {
    expect(lineOf(atMost("tree/heap", 201, "bytes", 200, "many"))).toBe(
      "tree/heap: 201 bytes (budget: at most 200); many MISSED",
    );
    expect(ofLimit("bytes/crc32", 0.89, "zlib", 0.9, "").missed).toBe(true);
    expect(ofLimit("bytes/crc32", 0.9, "zlib", 0.9, "").missed).toBe(false);
    expect(atMost("tree/heap", Number.NaN, "bytes", 200, "").missed).toBe(true);
    expect(ofLimit("bytes/crc32", Number.NaN, "zlib", 0.9, "").missed).toBe(true);
  });

  test("names the best of the others, and all of them", () => {
    const figure = besideOthers({
      name: "rest/all",
      title: "All",
      unit: "MB",
      group: "all",
      ours: 5,
      others: new Map([
        ["apples", 20],
        ["pears", 10],
      ]),
      limit: ["nothing", 1],
      budget: 1,
      remark: "of fruit",
    });
    expect(lineOf(figure)).toBe(
      "rest/all: 0.50 of what pears takes, the best of the others (budget: below 1); 5.00 MB, apples 20.0, pears 10.0; of fruit",
    );
    expect(figure.plot?.bars.map(({ label, role }) => `${role} ${label}`)).toEqual([
      "ours Orthant",
      "peer apples",
      "peer pears",
      "limit nothing",
    ]);
  });
});
