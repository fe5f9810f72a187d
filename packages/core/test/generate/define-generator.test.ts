import {
  type ChunkShape,
  CUBE_CHUNKS,
  chunkShape,
  defineGenerator,
  emptyChunk,
  flat,
  GeneratorRegistry,
  HYPERCUBE_CHUNKS,
  isOrthantError,
  maze,
  type Position,
  platforms,
  TILE_CHUNKS,
  terrain,
  uniformChunk,
  valueNoise,
} from "@orthant/core";
import { decode, encode } from "@orthant/core/bytes";
import {
  flatGenerator,
  generatorRef,
  MAZE_DEFAULTS,
  mazeGenerator,
  PLATFORMS_DEFAULTS,
  parametersOf,
  platformsGenerator,
  type SeededGenerator,
  TERRAIN_DEFAULTS,
  terrainGenerator,
} from "@orthant/core/generate";
import { positionFrom, positionsMinorToMajor, voxelOfIndex } from "@orthant/core/lattice";
import { codeOf, fromHex, Prng, toHex } from "@orthant/testkit";
import { describe, expect, test } from "vitest";
import { boxInside } from "./sample-worlds.ts";

const hills = defineGenerator({
  id: "my-game:hills",
  version: 1,
  dimensions: 3,
  parameters: { height: 40, isIcy: false, name: "" },
  open: ({ seed, parameters }) => {
    const noise = valueNoise({ seed, period: 64, octaves: 4 });
    const top = parameters.isIcy ? 14 : 3;
    return {
      skyAbove: parameters.height,
      foundation: { height: -parameters.height, block: 1 },
      blockAt: (x, y, z) => {
        const ground = Math.floor(parameters.height * noise(x, z));
        return y >= ground ? 0 : y === ground - 1 ? top : 1;
      },
    };
  },
});

function open({ ref, generator }: SeededGenerator, shape: ChunkShape = CUBE_CHUNKS) {
  return new GeneratorRegistry([generator]).open(ref, shape);
}

function messageOf(work: () => unknown): string {
  try {
    work();
  } catch (error) {
    return isOrthantError(error) ? error.message : `not ours: ${String(error)}`;
  }
  return "no error";
}

describe("a defined generator", () => {
  test("asks its function for every voxel", () => {
    const seen = defineGenerator({
      id: "my-game:seen",
      version: 1,
      dimensions: 4,
      open: () => (x, y, z, w) => (x * 7 + y * 31 + z * 101 + w * 1009) & 0xffff,
    });
    const shape = chunkShape([4, 3, 2, 5]);
    const chunk = open(seen({ seed: 1n }), shape).realize(-2, 5, -1, 3);
    chunk.forEach((block, index) => {
      const [x, y, z, w] = voxelOfIndex(shape, [-2, 5, -1, 3], index);
      expect(block).toBe((x * 7 + y * 31 + z * 101 + w * 1009) & 0xffff);
    });
  });

  test.each([
    [2, TILE_CHUNKS],
    [3, CUBE_CHUNKS],
    [4, HYPERCUBE_CHUNKS],
  ] as const)("opens only in worlds of its %d dimensions", (dimensions, shape) => {
    const stone = defineGenerator({ id: "my-game:stone", version: 1, dimensions, open: () => () => 1 });
    expect(open(stone({ seed: 1n }), shape).realize(0, 0, 0, 0)).toBe(uniformChunk(shape.volume, 1));
    for (const other of [TILE_CHUNKS, CUBE_CHUNKS, HYPERCUBE_CHUNKS]) {
      if (other === shape) continue;
      expect(codeOf(() => open(stone({ seed: 1n }), other))).toBe("ORT_ARGUMENT");
    }
  });

  test("gives a chunk the same voxels whichever box is queried", () => {
    const prng = new Prng(3);
    const space = open(hills({ seed: 9n }));
    const volume = CUBE_CHUNKS.volume;
    let mixed = 0;
    for (let round = 0; round < 100; round++) {
      const min: Position = [prng.between(-9, 9), prng.between(-5, 4), prng.between(-9, 9), 0];
      const outer = { min, max: positionFrom((axis) => min[axis] + (axis === 3 ? 1 : prng.between(1, 3))) };
      const inner = boxInside(prng, outer);
      const tree = space.describe(outer);
      expect(space.describe(inner).equals(tree.slice(inner))).toBe(true);
      for (const position of positionsMinorToMajor(inner)) {
        const chunk = open(hills({ seed: 9n })).realize(...position);
        const held = tree.at(...position) ?? emptyChunk(volume);
        if (!("volume" in held && held.equals(chunk))) expect.fail(`round ${round}: ${position}`);
        if (chunk.uniformBlock === undefined) mixed++;
      }
    }
    expect(mixed).toBeGreaterThan(20);
  });

  test("is described by uniform boxes above its top and below its foundation", () => {
    const space = open(hills({ seed: 9n }));
    const sky = { min: [-500, 3, -500, 0], max: [500, 500, 500, 1] } as const;
    const ground = { min: [-500, -500, -500, 0], max: [500, -3, 500, 1] } as const;
    expect(space.contentBounds(sky)).toBeUndefined();
    expect([...space.describe(sky).pieces()]).toEqual([]);
    expect([...space.describe(ground).pieces()].length).toBeLessThan(1_000);
    expect(space.contentBounds(ground)).toEqual(ground);
  });

  test("keeps parameters and seed in the reference", () => {
    const { ref, generator } = hills({ seed: 7n, height: 20, isIcy: true, name: "é" });
    expect(generator).toBe(hills.generator);
    expect(ref.generatorId).toBe("my-game:hills");
    expect(ref.seed).toBe(7n);
    expect(parametersOf(generator, ref)).toEqual({ height: 20, isIcy: true, name: "é" });
    const { ref: usual } = hills({ seed: 7n });
    expect(parametersOf(generator, usual)).toEqual({ height: 40, isIcy: false, name: "" });
  });

  test("encodes parameters by name, so that their order in the source does not matter", () => {
    const { parametersCodec } = hills.generator;
    // 3 parameters: height, a number, 20.0; isIcy, a boolean, true; name, a text, "a".
    const hex = "03 06686569676874 00 0000000000003440 05 6973496379 01 01 04 6e616d65 02 0161".replaceAll(
      " ",
      "",
    );
    const parameters = { name: "a", isIcy: true, height: 20 };
    expect(toHex(encode(parametersCodec, parameters))).toBe(hex);
    expect(decode(parametersCodec, fromHex(hex))).toEqual(parameters);
    for (let length = 0; length < hex.length / 2; length++) {
      const cut = fromHex(hex).subarray(0, length);
      expect(codeOf(() => decode(parametersCodec, cut))).not.toBeUndefined();
    }
  });

  test.each([
    ["an unknown parameter", "01 01 61 00 0000000000003440"],
    ["a parameter twice", "02 06686569676874 00 0000000000003440 06686569676874 00 0000000000003440"],
    ["a parameter of another kind", "01 06686569676874 01 01"],
    ["a number that is not finite", "01 06686569676874 00 000000000000f07f"],
    ["a negative zero", "01 06686569676874 00 0000000000000080"],
  ])("refuses a file with %s", (_name, hex) => {
    const bytes = fromHex(hex.replaceAll(" ", ""));
    expect(codeOf(() => decode(hills.generator.parametersCodec, bytes))).toBe("ORT_GENERATOR_PARAMETERS");
  });

  test("has the default of a parameter that was added after the world was made", () => {
    const definition = { id: "my-game:steps", version: 1, dimensions: 2 } as const;
    const before = defineGenerator({ ...definition, open: () => () => 1 });
    const after = defineGenerator({
      ...definition,
      parameters: { block: 5 },
      open:
        ({ parameters }) =>
        () =>
          parameters.block,
    });
    const { ref } = before({ seed: 1n });
    expect(open({ ref, generator: after.generator }, TILE_CHUNKS).realize(0, 0, 0, 0).uniformBlock).toBe(5);
  });

  // A JavaScript program has no types that would stop it.
  const loosely = defineGenerator as (definition: unknown) => typeof hills;
  const hillsWith = hills as (options: unknown) => SeededGenerator;
  const basic = { id: "a:b", version: 1, dimensions: 3, open: () => () => 1 };
  test.each<[mistake: string, work: () => unknown, message: string]>([
    ["has no definition", () => loosely(undefined), "the definition is undefined; it is an object with id"],
    [
      "has no id",
      () => loosely({ ...basic, id: 5 }),
      'id is 5 (a number); it is a string, such as "my-game:hills"',
    ],
    [
      "has an id in capitals",
      () => loosely({ ...basic, id: "Hills" }),
      '"Hills" is not the id of a generator',
    ],
    [
      "has no version",
      () => loosely({ ...basic, version: 0 }),
      "version is 0 (a number); it is a whole number from 1",
    ],
    [
      "has five dimensions",
      () => loosely({ ...basic, dimensions: 5 }),
      "dimensions is 5 (a number); it is 2, 3 or 4",
    ],
    [
      "has a list as parameter",
      () => loosely({ ...basic, parameters: { a: [] } }),
      "parameters.a is []; it is a finite number",
    ],
    ["has a parameter seed", () => loosely({ ...basic, parameters: { seed: 1 } }), "has a seed already"],
    ["has no function", () => loosely({ ...basic, open: 5 }), "open is 5 (a number); it is a function"],
    ["opens as a number", () => open(loosely({ ...basic, open: () => 5 })({ seed: 1n })), "it is a function"],
    ["gets no options", () => hillsWith(undefined), "options is undefined"],
    ["gets a number as seed", () => hillsWith({ seed: 7 }), "seed is 7 (a number); it is a bigint: write 7n"],
    ["gets no seed", () => hillsWith({}), "seed is undefined; it is a bigint"],
    [
      "gets an unknown parameter",
      () => hillsWith({ seed: 7n, hieght: 3 }),
      '"my-game:hills" has no parameter "hieght"; it has seed, height, isIcy, name',
    ],
    [
      "gets a number that is not finite",
      () => hillsWith({ seed: 7n, height: Number.NaN }),
      'parameters of "my-game:hills": height is NaN (a number); it is a finite number',
    ],
    [
      "gets a text for a number",
      () => hillsWith({ seed: 7n, height: "20" }),
      'parameters of "my-game:hills": height is "20" (a string); it is a finite number',
    ],
  ])("refuses a program that %s", (_mistake, work, message) => {
    const found = messageOf(work);
    expect(found).toContain("ORT_ARGUMENT");
    expect(found).toContain(message);
  });

  test.each([[undefined], [1.5], [-1], [65_536], ["1"], [Number.NaN]])("refuses %s as a block", (block) => {
    const wrong = loosely({ ...basic, open: () => () => block });
    expect(messageOf(() => open(wrong({ seed: 1n })).realize(0, 0, 0, 0))).toContain(
      'the block of "a:b" at [0,0,0,0]',
    );
  });
});

describe("the generators of Orthant", () => {
  test("take a seed and the parameters that differ from the defaults", () => {
    const pairs = [
      [terrain({ seed: 7n }), generatorRef(terrainGenerator, TERRAIN_DEFAULTS, 7n)],
      [
        terrain({ seed: 7n, relief: 9, waterLevel: undefined }),
        generatorRef(terrainGenerator, { ...TERRAIN_DEFAULTS, relief: 9, waterLevel: undefined }, 7n),
      ],
      [platforms({ seed: 3n }), generatorRef(platformsGenerator, PLATFORMS_DEFAULTS, 3n)],
      [flat(), generatorRef(flatGenerator, { block: 3, top: 0, thickness: 2 }, 0n)],
      [flat({ top: 9 }), generatorRef(flatGenerator, { block: 3, top: 9, thickness: 2 }, 0n)],
      [
        maze({ seed: 1n, cells: [5, 2, 5], origin: [0, 0] }),
        generatorRef(mazeGenerator, { ...MAZE_DEFAULTS, cells: [5, 2, 5, 9], origin: [0, 0, -18, -18] }, 1n),
      ],
    ] as const;
    for (const [{ ref, generator }, expected] of pairs) {
      expect(ref).toEqual(expected);
      expect(generator.id).toBe(expected.generatorId);
    }
    expect(terrain.generator).toBe(terrainGenerator);
  });

  test("refuse what they do not take", () => {
    const loose = (create: unknown) => create as (options?: unknown) => SeededGenerator;
    expect(messageOf(() => loose(terrain)({ seed: 7 }))).toContain("write 7n");
    expect(messageOf(() => loose(terrain)())).toContain("options is undefined");
    expect(messageOf(() => loose(flat)(null))).toContain("options is null");
    expect(messageOf(() => loose(flat)(5))).toContain("options is 5");
    expect(messageOf(() => loose(maze)(undefined))).toContain("options is");
    expect(messageOf(() => loose(maze)({ seed: 1n, cells: 5 }))).toContain("cells is 5 (a number)");
    expect(messageOf(() => terrain({ seed: 7n, relief: 5_000 }))).toContain("relief is 5000 (a number)");
    expect(messageOf(() => loose(terrain)({ seed: 7n, caves: "yes" }))).toContain("it is true or false");
  });
});

describe("value noise", () => {
  test.each([2, 3, 4])("value noise in %d dimensions is smooth and stays from -1 to 1", (dimensions) => {
    const noise = valueNoise({ seed: 5n, period: 32, octaves: 3 });
    const prng = new Prng(8);
    let lowest = 1;
    let highest = -1;
    for (let round = 0; round < 5_000; round++) {
      const at = Array.from({ length: dimensions }, () => prng.between(-10_000, 10_000));
      const value = noise(...(at as [number, number]));
      at[0] = (at[0] as number) + 1;
      expect(Math.abs(noise(...(at as [number, number])) - value)).toBeLessThan(0.25);
      lowest = Math.min(lowest, value);
      highest = Math.max(highest, value);
    }
    expect(lowest).toBeGreaterThan(-1);
    expect(lowest).toBeLessThan(-0.5);
    expect(highest).toBeLessThan(1);
    expect(highest).toBeGreaterThan(0.5);
  });

  test("depends on seed and purpose, and not on earlier queries", () => {
    const noises = [
      valueNoise({ seed: 5n, period: 32 }),
      valueNoise({ seed: 6n, period: 32 }),
      valueNoise({ seed: 5n, period: 32, purpose: 1 }),
      valueNoise({ seed: 5n, period: 16 }),
    ];
    const values = noises.map((noise) => noise(10, 20));
    expect(new Set(values).size).toBe(4);
    for (const noise of noises) noise(11, 20);
    expect(noises.map((noise) => noise(10, 20))).toEqual(values);
    // Worlds that games made must not change.
    expect(values[0]).toBe(0.446_664_006_764_897_26);
  });

  test.each([
    ["no period", { seed: 1n }],
    ["a negative period", { seed: 1n, period: -1 }],
    ["half an octave", { seed: 1n, period: 8, octaves: 0.5 }],
    ["a number as seed", { seed: 1, period: 8 }],
    ["no options", undefined],
  ])("refuses %s", (_name, options) => {
    expect(codeOf(() => (valueNoise as (options: unknown) => unknown)(options))).toBe("ORT_ARGUMENT");
  });
});
