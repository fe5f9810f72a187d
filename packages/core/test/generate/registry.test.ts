import {
  type Chunk,
  DEFAULT_BLOCKS,
  GeneratorRegistry,
  HYPERCUBE_CHUNKS,
  type WorldGenerator,
} from "@orthant/core";
import { encode, hash64 } from "@orthant/core/bytes";
import {
  DEFAULT_GENERATORS,
  FLAT_DEFAULTS,
  flatGenerator,
  GeneratorRef,
  generatorRef,
  MAZE_DEFAULTS,
  mazeGenerator,
  PLATFORMS_DEFAULTS,
  parametersOf,
  platformsGenerator,
  TERRAIN_DEFAULTS,
  terrainGenerator,
} from "@orthant/core/generate";
import { generatorManifestHash, generatorVersionHash } from "@orthant/core/internal";
import { codeOf, fromHex, toHex } from "@orthant/testkit";
import { describe, expect, test } from "vitest";
import { openWorld, SAMPLE_WORLDS } from "./sample-worlds.ts";

describe("the 64-bit hash", () => {
  test.each([
    ["", 0xcbf2_9ce4_8422_2325n],
    ["a", 0xaf63_dc4c_8601_ec8cn],
    ["foobar", 0x8594_4171_f739_67e8n],
  ])("the 64-bit hash of %j is FNV-1a", (text, hash) => {
    expect(hash64(new TextEncoder().encode(text))).toBe(hash);
  });
});

describe("generator hashes", () => {
  test("are computed from the bytes that the reference page gives", () => {
    // "flat", version 1, parameters version 1.
    expect(generatorVersionHash(flatGenerator)).toBe(hash64(fromHex("04 666c6174 01 01")));
    const versions = [flatGenerator, mazeGenerator].map((generator) => {
      const bytes = new Uint8Array(8);
      new DataView(bytes.buffer).setBigUint64(0, generatorVersionHash(generator), true);
      return toHex(bytes);
    });
    const manifest = `02 04 666c6174 ${versions[0]} 04 6d617a65 ${versions[1]}`;
    expect(generatorManifestHash([mazeGenerator, flatGenerator])).toBe(hash64(fromHex(manifest)));
  });

  test("are those with which existing worlds were made", () => {
    expect(generatorVersionHash(flatGenerator).toString(16)).toBe("9fdaedf416e6368a");
    expect(generatorVersionHash(platformsGenerator).toString(16)).toBe("2b1126654bf20942");
    expect(generatorVersionHash(terrainGenerator).toString(16)).toBe("31471a78e20ea919");
    expect(generatorVersionHash(mazeGenerator).toString(16)).toBe("fa65124959b38342");
    expect(DEFAULT_GENERATORS.generatorsHash.toString(16)).toBe("b0a03a4793cc1e90");
  });

  test("change with the version of a generator and of its parameters", () => {
    const hashes = [
      flatGenerator,
      { ...flatGenerator, version: 2 },
      { ...flatGenerator, parametersVersion: 2 },
      { ...flatGenerator, id: "flat2" },
    ].map(generatorVersionHash);
    expect(new Set(hashes).size).toBe(4);
  });
});

describe("a registry", () => {
  test("opens known generators and refuses others", () => {
    const ref = generatorRef(flatGenerator, FLAT_DEFAULTS, 1n);
    const stranger = new GeneratorRef("stranger", ref.parameters, 1n, ref.versionHash);
    const newer = generatorRef({ ...flatGenerator, version: 2 }, FLAT_DEFAULTS, 1n);
    expect(DEFAULT_GENERATORS.ids).toEqual(["flat", "maze", "platforms", "terrain"]);
    expect([ref, stranger, newer].map((each) => DEFAULT_GENERATORS.knows(each))).toEqual([
      true,
      false,
      false,
    ]);
    expect(DEFAULT_GENERATORS.open(ref, HYPERCUBE_CHUNKS).realize(0, 0, 0, 0).isEmpty).toBe(true);
    expect(codeOf(() => DEFAULT_GENERATORS.open(stranger, HYPERCUBE_CHUNKS))).toBe("ORT_GENERATOR_UNKNOWN");
    expect(codeOf(() => DEFAULT_GENERATORS.open(newer, HYPERCUBE_CHUNKS))).toBe("ORT_GENERATOR_VERSION");
  });

  test("has several versions of a generator, finds the newest by its id and opens each by its reference", () => {
    const thicker: typeof flatGenerator = {
      ...flatGenerator,
      version: 2,
      open: (parameters, seed, shape) => flatGenerator.open({ ...parameters, block: 9 }, seed, shape),
    };
    const registry = new GeneratorRegistry([thicker, flatGenerator]);
    const [first, second] = [flatGenerator, thicker].map((each) => generatorRef(each, FLAT_DEFAULTS, 1n)) as [
      GeneratorRef,
      GeneratorRef,
    ];
    expect(registry.ids).toEqual(["flat"]);
    expect(registry.find("flat")).toBe(thicker);
    expect(registry.generatorOf(first)).toBe(flatGenerator);
    const blocks = [first, second].map((ref) => registry.open(ref, HYPERCUBE_CHUNKS).realize(0, -1, 0, 0));
    expect(blocks[0]?.equals(blocks[1] as Chunk)).toBe(false);
    expect(registry.generatorsHash).toBe(new GeneratorRegistry([flatGenerator, thicker]).generatorsHash);
    expect(DEFAULT_GENERATORS.including(thicker).including(flatGenerator).knows(first)).toBe(true);
    expect(codeOf(() => registry.including({ ...flatGenerator }))).toBe("ORT_ARGUMENT");
  });

  test("refuses two generators with one id and version, and invalid ids", () => {
    expect(codeOf(() => new GeneratorRegistry([flatGenerator, flatGenerator]))).toBe("ORT_ARGUMENT");
    for (const id of ["", "Flat", "a b", "-a", "x".repeat(65)]) {
      expect(codeOf(() => new GeneratorRegistry([{ ...flatGenerator, id }]))).toBe("ORT_ARGUMENT");
    }
  });

  test("refuses positions off the lattice", () => {
    for (const world of SAMPLE_WORLDS) {
      expect(codeOf(() => openWorld(world).realize(2 ** 31, 0, 0, 0))).toBe("ORT_POSITION_RANGE");
      expect(codeOf(() => openWorld(world).realize(0, 0.5, 0, 0))).toBe("ORT_POSITION_RANGE");
    }
  });
});

describe("parameters", () => {
  test.each<
    [name: string, hex: string, ref: GeneratorRef, parameters: unknown, generator: WorldGenerator<unknown>]
  >([
    ["flat", "01 03 00 02", generatorRef(flatGenerator, FLAT_DEFAULTS, 0n), FLAT_DEFAULTS, flatGenerator],
    [
      "platforms",
      "01 8003 1e",
      generatorRef(platformsGenerator, PLATFORMS_DEFAULTS, 0n),
      PLATFORMS_DEFAULTS,
      platformsGenerator,
    ],
    [
      "terrain",
      "01 00 40 010f 01 01 01",
      generatorRef(terrainGenerator, TERRAIN_DEFAULTS, 0n),
      TERRAIN_DEFAULTS,
      terrainGenerator,
    ],
    [
      "maze",
      "01 23 00 23 23 09 04 09 09 19",
      generatorRef(mazeGenerator, MAZE_DEFAULTS, 0n),
      MAZE_DEFAULTS,
      mazeGenerator,
    ],
  ])("parameters of %s survive a round trip", (_name, hex, ref, parameters, generator) => {
    expect(toHex(ref.parameters)).toBe(hex.replaceAll(" ", ""));
    expect(parametersOf(generator, ref)).toEqual(parameters);
    for (let length = 0; length < ref.parameters.length; length++) {
      const cut = new GeneratorRef(ref.generatorId, ref.parameters.subarray(0, length), 0n, ref.versionHash);
      expect(codeOf(() => parametersOf(generator, cut))).toBe("ORT_TRUNCATED");
    }
  });

  test.each([
    ["flat", "02 03 00 02", "ORT_VERSION"],
    ["flat", "01 03 00 02 00", "ORT_TRAILING_BYTES"],
    ["flat", "01 03 00 818004", "ORT_GENERATOR_PARAMETERS"],
    ["platforms", "01 5f 1e", "ORT_GENERATOR_PARAMETERS"],
    ["platforms", "01 8003 65", "ORT_GENERATOR_PARAMETERS"],
    ["terrain", "01 00 8120 00 00 00 00", "ORT_GENERATOR_PARAMETERS"],
    ["maze", "01 00 00 00 00 00 04 09 09 19", "ORT_GENERATOR_PARAMETERS"],
    ["maze", "01 00 00 00 00 40 40 40 02 19", "ORT_GENERATOR_PARAMETERS"],
  ])("parameters of %s as %s are refused", (id, hex, code) => {
    const { versionHash } = SAMPLE_WORLDS.map(({ ref }) => ref).find((ref) => ref.generatorId === id) ?? {};
    const ref = new GeneratorRef(id, fromHex(hex), 0n, versionHash ?? 0n);
    expect(codeOf(() => DEFAULT_GENERATORS.open(ref, HYPERCUBE_CHUNKS))).toBe(code);
  });

  test("out of range are not written", () => {
    expect(codeOf(() => generatorRef(flatGenerator, { ...FLAT_DEFAULTS, thickness: -1 }, 0n))).toBe(
      "ORT_ARGUMENT",
    );
    expect(codeOf(() => generatorRef(flatGenerator, FLAT_DEFAULTS, -1n))).toBe("ORT_ARGUMENT");
    const tooMany = { ...MAZE_DEFAULTS, cells: [64, 64, 64, 2] as const };
    expect(codeOf(() => encode(mazeGenerator.parametersCodec, tooMany))).toBe("ORT_ARGUMENT");
  });
});

test("generators use the blocks of the default catalog", () => {
  const names = new Map<number, string>();
  for (const world of SAMPLE_WORLDS) {
    const space = openWorld(world);
    for (let x = -20; x < 20; x++)
      for (let y = world.lowest; y <= world.highest; y++) {
        for (const block of space.realize(x, y, 0, 0).blocks()) {
          names.set(block, DEFAULT_BLOCKS.byId(block)?.name ?? expect.fail(`block ${block}`));
        }
      }
  }
  const expected = ["air", "brick", "coal ore", "grass", "leaves", "sand", "soil", "stone", "water", "wood"];
  expect([...names.values()]).toEqual(expect.arrayContaining(expected));
});
