import { describe, expect, test } from "vitest";
import { atLeast, atMost, type Figure, ofLimit, told } from "../figure.ts";
import { machineLine } from "../machine.ts";
import { guard, unreported } from "../report/guard.ts";
import type { RunRecord } from "../report/record.ts";

const MACHINE = { processors: "2", node: "Node", system: "linux", memory: "8 GiB", fileSystem: "ext4" };

function share(value: number, name = "bytes/crc32"): Figure {
  return ofLimit(name, value, "bare", undefined, "");
}

const RECORD: RunRecord = {
  bytes: { date: "", machine: MACHINE, seconds: 1, figures: [share(0.9), told("bytes/other", 5, "kg", "")] },
};

/** Returns what the guard finds and prints when the tries of its only suite give these figures. */
async function guarded(
  ...tries: readonly (readonly Figure[])[]
): Promise<{ fallen: readonly string[]; lines: readonly string[]; measured: number }> {
  const lines: string[] = [];
  let measured = 0;
  const fallen = await guard(["bytes"], RECORD, machineLine(MACHINE), {
    measure: async () => tries[measured++] ?? [],
    print: (line) => lines.push(line),
  });
  return { fallen, lines, measured };
}

describe("the guard", () => {
  test("passes a ratio that fell by a third at most, after one try", async () => {
    const { fallen, lines, measured } = await guarded([share(0.61)]);
    expect([fallen, measured]).toEqual([[], 1]);
    expect(lines).toEqual([
      "guard: bytes/crc32 0.61 of the bare limit, recorded 0.90",
      "guard: 1 figures compared, 0 fell by more than a third or missed a budget",
    ]);
  });

  test("reports a ratio that is lower in each of three tries", async () => {
    const { fallen, lines, measured } = await guarded([share(0.5)], [share(0.59)], [share(0.4)]);
    expect([fallen, measured]).toEqual([["bytes/crc32"], 3]);
    expect(lines).toContain("guard: bytes/crc32 0.59 of the bare limit, recorded 0.90 FELL");
  });

  test("tolerates a bad moment of the machine", async () => {
    const { fallen, measured } = await guarded([share(0.1)], [share(0.2)], [share(0.8)]);
    expect([fallen, measured]).toEqual([[], 3]);
  });

  test("tries again only while a ratio is low", async () => {
    expect((await guarded([share(0.1)], [share(0.8)])).measured).toBe(2);
  });

  test.each<[what: string, machine: string, value: number, recorded: number | undefined, isFallen: boolean]>([
    ["within its budget", machineLine(MACHINE), 1.1, 1.05, false],
    ["a little beyond it", machineLine(MACHINE), 1.2, 1.05, false],
    ["a sixth beyond it", machineLine(MACHINE), 1.3, 1.05, true],
    ["as far beyond it as on record", machineLine(MACHINE), 1.5, 1.4, false],
    ["farther than on record", machineLine(MACHINE), 1.7, 1.4, true],
    ["not on record", machineLine(MACHINE), 1.3, undefined, true],
    ["a third beyond it on another machine", "another", 1.5, 1.05, false],
    ["half beyond it on another machine", "another", 1.6, 1.05, true],
  ])("judges a figure that is %s", async (_what, machine, value, recorded, isFallen) => {
    const figure = (found: number): Figure => atMost("bytes/cost", found, "us", 1.1, "");
    const figures = recorded === undefined ? [] : [figure(recorded)];
    const record = { bytes: { date: "", machine: MACHINE, seconds: 1, figures } };
    const fallen = await guard(["bytes"], record, machine, {
      measure: async () => [figure(value)],
      print: () => undefined,
    });
    expect(fallen).toEqual(isFallen ? ["bytes/cost"] : []);
  });

  test("keeps the best of the tries of a figure with a budget, whichever side it is on", async () => {
    const figures = (cost: number, speed: number): readonly Figure[] => [
      atMost("bytes/cost", cost, "us", 1, ""),
      atLeast(told("bytes/speed", speed, "times as fast", ""), 2),
    ];
    const { fallen, lines, measured } = await guarded(figures(3, 1.9), figures(1, 1.2), figures(9, 9));
    expect([fallen, measured]).toEqual([[], 2]);
    expect(lines).toContain("guard: bytes/cost 1.00 us, budget at most 1, not on record yet");
    expect(lines).toContain("guard: bytes/speed 1.90 times as fast, budget at least 2, not on record yet");
  });

  test("passes figures without a record, and ignores figures that are neither ratios nor have a budget", async () => {
    const { fallen, lines } = await guarded([
      share(0.9),
      share(0.1, "bytes/new"),
      told("bytes/other", 1, "kg", ""),
    ]);
    expect(fallen).toEqual([]);
    expect(lines).toContain("guard: bytes/new 0.10 of the bare limit, not on record yet");
    expect(lines.join()).not.toContain("bytes/other");
  });

  test("compares with its own record what no report has", async () => {
    const own = { date: "", machine: MACHINE, seconds: 1, figures: [share(0.8, "bytes/own"), share(0.1)] };
    const fallen = await guard(["bytes"], { ...RECORD, guard: own }, machineLine(MACHINE), {
      measure: async () => [share(0.5, "bytes/own"), share(0.5)],
      print: () => undefined,
    });
    expect(fallen).toEqual(["bytes/own", "bytes/crc32"]);
  });

  test("records the highest of each ratio that no report has", () => {
    const measured = [
      share(0.3, "bytes/new"),
      share(0.4, "bytes/new"),
      share(0.2),
      told("bytes/kg", 5, "kg", ""),
    ];
    expect(unreported(measured, RECORD)).toEqual([share(0.4, "bytes/new")]);
  });

  test.each([
    [0.46, []],
    [0.44, ["bytes/crc32"]],
  ])(
    "says when the record is from another machine, where a ratio of %d may halve",
    async (value, expected) => {
      const lines: string[] = [];
      const fallen = await guard(["bytes"], RECORD, "another", {
        measure: async () => [share(value)],
        print: (line) => lines.push(line),
      });
      expect(fallen).toEqual(expected);
      expect(lines[0]).toBe(
        "guard: recorded on another machine (2, Node, linux, 8 GiB, ext4); ratios still compare",
      );
      expect(lines.at(-1)).toBe(
        `guard: 1 figures compared, ${expected.length} fell by more than half or missed a budget`,
      );
    },
  );
});
