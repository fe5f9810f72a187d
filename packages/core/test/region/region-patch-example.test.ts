import { readFileSync } from "node:fs";
import { decode, encode } from "@orthant/core/bytes";
import { clockFrom, regionPatchCodec } from "@orthant/core/tree";
import { fromHex, toHex } from "@orthant/testkit";
import { describe, expect, test } from "vitest";

/** Returns the bytes of the worked example on a page, whose lines have hex digits and, after a bar, words. */
function workedExample(page: string): string {
  const text = readFileSync(new URL(`../../../../docs/formats/${page}`, import.meta.url), "utf8");
  const block = /## Worked example\n[^`]*```\n(?<lines>[^`]*)```/.exec(text)?.groups?.["lines"] ?? "";
  return block.replaceAll(/\|.*$/gm, "").replaceAll(/\s/g, "");
}

describe("the worked example", () => {
  test("[P8] the worked example of a patch matches what we write and read", () => {
    const edits = [{ chunk: [1, 0, 0, 0], edits: [{ index: 300, block: 9 }] }] as const;
    const clocks = { base: clockFrom(3, 5), next: clockFrom(3, 6) };
    const patch = {
      patchSeq: 7,
      changes: [{ region: [0, 0, 0, 0], ...clocks, piece: 0, leaves: [], edits, data: [] }],
    } as const;
    const hex = workedExample("region-patch.md");
    expect(toHex(encode(regionPatchCodec(4096), patch))).toBe(hex);
    expect(decode(regionPatchCodec(4096), fromHex(hex))).toEqual(patch);
  });
});
