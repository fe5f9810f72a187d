import type { Box, Position } from "@orthant/core";
import { decode, encode } from "@orthant/core/bytes";
import { FLAT_DEFAULTS, flatGenerator, type GeneratorRef, generatorRef } from "@orthant/core/generate";
import {
  boxContains,
  boxesIntersect,
  chunksOfRegions,
  comparePositions,
  positionsLexicographic,
  regionOf,
} from "@orthant/core/lattice";
import { GeneratorMap, generatorMapCodec, generatorMapHash, type KeptRegions } from "@orthant/core/tree";
import { codeOf, fromHex, Prng, toHex } from "@orthant/testkit";
import { describe, expect, test } from "vitest";

const [FIRST, SECOND, THIRD] = [1, 2, 3].map((block) =>
  generatorRef(flatGenerator, { ...FLAT_DEFAULTS, block }, BigInt(block)),
) as [GeneratorRef, GeneratorRef, GeneratorRef];

function randomBox(prng: Prng): Box {
  const corner = (): number => prng.below(16) - 8;
  const min: Position = [corner(), corner(), corner(), corner()];
  return { min, max: min.map((low) => low + 1 + prng.below(4)) as unknown as Position };
}

function randomMap(prng: Prng): GeneratorMap {
  const kept: KeptRegions[] = [];
  for (let tries = prng.below(40); tries > 0; tries--) {
    const box = randomBox(prng);
    if (kept.some((other) => boxesIntersect(other.box, box))) continue;
    kept.push({ box, generator: prng.chance(0.5) ? SECOND : THIRD });
  }
  kept.sort((a, b) => comparePositions(a.box.min, b.box.min));
  return GeneratorMap.from(FIRST, kept);
}

function expectedAt({ kept }: GeneratorMap, region: Position): GeneratorRef {
  return kept.find(({ box }) => boxContains(box, region))?.generator ?? FIRST;
}

describe("a map of generators", () => {
  test("finds the generator of regions, chunks and boxes, as a search through all boxes does", () => {
    for (let seed = 0; seed < 30; seed++) {
      const prng = new Prng(seed);
      const map = randomMap(prng);
      for (let round = 0; round < 30; round++) {
        const region = randomBox(prng).min;
        const expected = expectedAt(map, region);
        expect(map.ofRegion(region), `seed ${seed}`).toBe(expected);
        const chunk = chunksOfRegions({ min: region, max: region }).min.map(
          (low) => low + prng.below(4),
        ) as unknown as Position;
        expect(map.ofChunk(...chunk), `seed ${seed}`).toBe(expected);
        const chunks = randomBox(prng);
        const found = new Set<GeneratorRef>();
        const tree = map.treeOf(chunks);
        for (const position of positionsLexicographic(chunks)) {
          const there = expectedAt(map, regionOf(position));
          found.add(there);
          expect(tree.at(...position), `seed ${seed}`).toBe(there);
        }
        expect(map.onlyIn(chunks), `seed ${seed}`).toBe(found.size === 1 ? [...found][0] : undefined);
      }
    }
  });

  test("knows the generator of a box far larger than its boxes", () => {
    const box: Box = { min: [-1, 0, 0, 0], max: [1, 1, 1, 1] };
    const map = GeneratorMap.from(FIRST, [{ box, generator: SECOND }]);
    const everywhere: Box = { min: [-(2 ** 31), 0, 0, 0], max: [2 ** 31, 4, 4, 4] };
    expect(map.onlyIn(everywhere)).toBeUndefined();
    expect(map.onlyIn({ ...everywhere, min: [100, 0, 0, 0] })).toBe(FIRST);
    expect(map.onlyIn({ min: [-4, 0, 0, 0], max: [4, 4, 4, 4] })).toBe(SECOND);
  });

  test("refuses boxes that overlap, are out of order, or of the current generator", () => {
    const low: KeptRegions = { box: { min: [0, 0, 0, 0], max: [2, 2, 2, 1] }, generator: SECOND };
    const high: KeptRegions = { box: { min: [1, 0, 0, 0], max: [3, 1, 1, 1] }, generator: SECOND };
    const beside: KeptRegions = { box: { min: [2, 0, 0, 0], max: [3, 1, 1, 1] }, generator: SECOND };
    expect(codeOf(() => GeneratorMap.from(FIRST, [low, high]))).toBe("ORT_GENERATOR_MAP");
    expect(codeOf(() => GeneratorMap.from(FIRST, [beside, low]))).toBe("ORT_GENERATOR_MAP");
    expect(codeOf(() => GeneratorMap.from(SECOND, [low]))).toBe("ORT_GENERATOR_MAP");
    expect(GeneratorMap.from(FIRST, [low, beside]).refs).toEqual([FIRST, SECOND]);
  });

  test("is equal to another one only if generators and boxes are", () => {
    const box: Box = { min: [0, 0, 0, 0], max: [2, 2, 2, 1] };
    const map = GeneratorMap.from(FIRST, [{ box, generator: SECOND }]);
    const wider = { ...box, max: [2, 2, 3, 1] as Position };
    expect(map.equals(GeneratorMap.from(FIRST, [{ box, generator: SECOND }]))).toBe(true);
    for (const other of [
      GeneratorMap.of(FIRST),
      GeneratorMap.from(THIRD, [{ box, generator: SECOND }]),
      GeneratorMap.from(FIRST, [{ box, generator: THIRD }]),
      GeneratorMap.from(FIRST, [{ box: wider, generator: SECOND }]),
    ]) {
      expect(map.equals(other)).toBe(false);
      expect(generatorMapHash(map)).not.toBe(generatorMapHash(other));
    }
  });
});

describe("the encoding of a map of generators", () => {
  test("returns what was written, in exactly one encoding, and refuses every other", () => {
    for (let seed = 0; seed < 30; seed++) {
      const prng = new Prng(seed);
      const map = randomMap(prng);
      const bytes = encode(generatorMapCodec, map);
      expect(decode(generatorMapCodec, bytes).equals(map), `seed ${seed}`).toBe(true);
      for (let length = 0; length < bytes.length; length++)
        expect(codeOf(() => decode(generatorMapCodec, bytes.subarray(0, length)))).toBe("ORT_TRUNCATED");
      for (let round = 0; round < 50; round++) {
        const wrong = bytes.slice();
        wrong[prng.below(wrong.length)] = prng.below(256);
        // Anything but an error that says what is wrong would fail the test.
        const outcome = codeOf(() => {
          const read = decode(generatorMapCodec, wrong);
          expect(toHex(encode(generatorMapCodec, read)), `seed ${seed}`).toBe(toHex(wrong));
        });
        expect(outcome === "no error" || outcome.startsWith("ORT_"), `seed ${seed}: ${outcome}`).toBe(true);
      }
    }
  });

  const ref = (name: string): string => `01${name} 01ff 07 09`;
  const ab = `02 ${ref("61")} ${ref("62")}`;
  const cube = "0000 0000 0303 0300";

  test("has the generators, then the boxes, each relative to the one before", () => {
    const map = decode(generatorMapCodec, fromHex(`${ab} 02 01 01000000 01000000 01 04000200 00000000`));
    expect(map.current.generatorId).toBe("a");
    expect(map.kept.map(({ box, generator }) => [generator.generatorId, box.min, box.max])).toEqual([
      ["b", [-1, 0, 0, 0], [1, 1, 1, 1]],
      ["b", [1, 0, 1, 0], [2, 1, 2, 1]],
    ]);
  });

  test.each<[name: string, hex: string, code: string]>([
    ["no generator", "00 00", "ORT_GENERATOR_MAP"],
    ["a generator that is not there", `${ab} 01 02 ${cube}`, "ORT_GENERATOR_MAP"],
    ["a box of the current generator", `${ab} 01 00 ${cube}`, "ORT_GENERATOR_MAP"],
    ["a generator without a box", `${ab} 00`, "ORT_GENERATOR_MAP"],
    ["one generator twice", `02 ${ref("61")} ${ref("61")} 01 01 ${cube}`, "ORT_GENERATOR_MAP"],
    ["a box twice", `${ab} 02 01 ${cube} 01 ${cube}`, "ORT_GENERATOR_MAP"],
    ["boxes that overlap", `${ab} 02 01 ${cube} 01 02000000 00000000`, "ORT_GENERATOR_MAP"],
    ["boxes out of order", `${ab} 02 01 ${cube} 01 13000000 00000000`, "ORT_GENERATOR_MAP"],
    ["a box outside of the lattice", `${ab} 01 01 8280808004 000000 00000000`, "ORT_POSITION_RANGE"],
    ["a box that ends outside of it", `${ab} 01 01 00000000 ffffffffffff03 000000`, "ORT_POSITION_RANGE"],
    ["too many boxes", `${ab} 8120`, "ORT_LIMIT"],
    ["too many generators", "8102", "ORT_LIMIT"],
  ])("refuses %s", (_name, hex, code) => {
    expect(codeOf(() => decode(generatorMapCodec, fromHex(hex)))).toBe(code);
  });

  test("holds no more boxes than a map may have", () => {
    const boxAt = (x: number): KeptRegions => ({
      box: { min: [2 * x, 0, 0, 0], max: [2 * x + 1, 1, 1, 1] },
      generator: SECOND,
    });
    const full = GeneratorMap.from(
      FIRST,
      Array.from({ length: 4_096 }, (_, x) => boxAt(x)),
    );
    expect(decode(generatorMapCodec, encode(generatorMapCodec, full)).equals(full)).toBe(true);
    const over = GeneratorMap.from(
      FIRST,
      Array.from({ length: 4_097 }, (_, x) => boxAt(x)),
    );
    expect(codeOf(() => encode(generatorMapCodec, over))).toBe("ORT_LIMIT");
  });
});
