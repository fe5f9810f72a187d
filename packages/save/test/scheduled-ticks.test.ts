import { ByteWriter, decode, encode } from "@orthant/core/bytes";
import type { ScheduledTick } from "@orthant/save/content";
import { journalEntryCodec, scheduledTicksCodec } from "@orthant/save/internal";
import type { JournalStep, TickChange } from "@orthant/save/journal";
import { codeOf } from "@orthant/testkit";
import { describe, expect, test } from "vitest";

const VOLUME = 64;
const codec = scheduledTicksCodec(VOLUME);

function bytes(write: (out: ByteWriter) => void): Uint8Array {
  const out = new ByteWriter();
  write(out);
  return out.copy();
}

/** Encodes one kind with ticks of the voxels 0, 1 and so on. */
function encoded(
  first: number,
  kinds: readonly (readonly [kind: string, ...delays: readonly number[]])[],
): Uint8Array {
  return bytes((out) => {
    out.varUint(first);
    out.varUint(kinds.length);
    for (const [kind, ...delays] of kinds) {
      out.varUint(kind.length);
      out.raw(new TextEncoder().encode(kind));
      out.varUint(delays.length);
      for (const delay of delays) {
        out.varUint(0);
        out.varUint(delay);
      }
    }
  });
}

describe("scheduled ticks", () => {
  test("[S143] are kinds and voxels in order, by the steps after the earliest one", () => {
    const ticks: readonly ScheduledTick[] = [
      { kind: "fall", index: 0, step: 300 },
      { kind: "fall", index: 1, step: 302 },
      { kind: "flow", index: 0, step: 301 },
    ];
    expect(encode(codec, ticks)).toEqual(
      encoded(300, [
        ["fall", 0, 2],
        ["flow", 1],
      ]),
    );
    expect(decode(codec, encode(codec, ticks))).toEqual(ticks);
  });

  test.each<[what: string, ticks: Uint8Array]>([
    ["no kind", encoded(1, [])],
    ["a kind without ticks", encoded(1, [["fall"]])],
    [
      "kinds that are not in order",
      encoded(1, [
        ["flow", 0],
        ["fall", 0],
      ]),
    ],
    [
      "a kind twice",
      encoded(1, [
        ["fall", 0],
        ["fall", 0],
      ]),
    ],
    ["no tick in the earliest step", encoded(1, [["fall", 1]])],
    ["a voxel outside the chunk", bytes((out) => out.raw(Uint8Array.of(1, 1, 1, 97, 1, VOLUME, 0)))],
  ])("[S143] are refused with %s", (_what, ticks) => {
    expect(codeOf(() => decode(codec, ticks))).toBe("ORT_BLOB");
  });

  test("[S144] have kinds with plain names, at most 64 of them", () => {
    expect(codeOf(() => decode(codec, encoded(1, [["a b", 0]])))).toBe("ORT_BLOB");
    const kinds = Array.from({ length: 65 }, (_, number) => [`k${number + 100}`, 0] as const);
    expect(decode(codec, encoded(1, kinds.slice(0, 64)))).toHaveLength(64);
    expect(codeOf(() => decode(codec, encoded(1, kinds)))).not.toBe("no error");
  });
});

function stepWith(changes: readonly TickChange[]): JournalStep {
  return {
    kind: "step",
    step: 7,
    chunks: [],
    clocks: [],
    ticks: [{ position: [0, 0, 0, 0], changes }],
    entities: [],
  };
}

test("[J39] a step may take all kinds of ticks that a chunk can have, and schedule as many others", () => {
  const changes = Array.from({ length: 128 }, (_, number) => ({
    kind: `k${number + 100}`,
    index: 0,
    step: number % 2 === 0 ? undefined : 8,
  }));
  const step = stepWith(changes);
  expect(decode(journalEntryCodec(VOLUME), encode(journalEntryCodec(VOLUME), step))).toEqual(step);
});

test("[J39] the changed ticks of a step are steps from it, 0 for none", () => {
  const step = stepWith([
    { kind: "f", index: 2, step: undefined },
    { kind: "f", index: 4, step: 9 },
  ]);
  const written = encode(journalEntryCodec(VOLUME), step);
  expect(decode(journalEntryCodec(VOLUME), written)).toEqual(step);
  // After the position: one kind, its name, two changes, each with voxels passed over and steps.
  expect(Buffer.from(written).toString("hex")).toContain("01" + "0166" + "02" + "0200" + "0102");
});
