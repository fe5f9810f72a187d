import {
  BlockCatalog,
  box,
  type Chunk,
  CUBE_CHUNKS,
  chunkBox,
  chunkFromVoxels,
  chunkShape,
  DEFAULT_BLOCKS,
  defineGenerator,
  dimensionsOf,
  emptyChunk,
  flat,
  GeneratorRegistry,
  hashPosition,
  isOrthantError,
  maze,
  OrthantError,
  platforms,
  terrain,
  uniformChunk,
  valueNoise,
} from "@orthant/core";
import { nameFault, printable } from "@orthant/core/arguments";
import { isChunk } from "@orthant/core/chunk";
import {
  DEFAULT_GENERATORS,
  firstBlocks,
  generatorIn,
  generatorsOf,
  isSeededGenerator,
  withBlockIds,
} from "@orthant/core/generate";
import {
  Clipboard,
  checkedMask,
  checkedOperation,
  checkedPattern,
  checkedSelection,
  completeOperation,
  decodeClipboard,
  encodeClipboard,
  NOT_COPIED,
  parseMask,
  parseOperation,
  parsePattern,
  parseSelection,
  printMask,
  printOperation,
  printPattern,
  printSelection,
} from "@orthant/core/operations";
import { nextTurn } from "@orthant/core/time";
import type { Prng } from "@orthant/testkit";
import { type OperationParts, RandomOperations } from "../operations/random-operations.ts";
import { constructorTargets, functionTargets, methodTargets, type Stage, type Target } from "./stage.ts";
import * as valid from "./valid-values.ts";

const OPERATION_PARTS: OperationParts = {
  dimensions: 3,
  blocks: ["stone", "air", "blue ice"],
  tags: ["natural"],
  properties: { facing: ["east", "west"] },
  reach: 40,
};

/** Calls the functions and classes of the core that games use. */
export const coreStage: Stage = {
  name: "core",
  open: async (prng) => ({
    targets: [
      ...latticeTargets(),
      ...chunkTargets(prng),
      ...generatorTargets(),
      ...operationTargets(),
      ...otherTargets(),
    ],
    finish: async () => [],
  }),
};

function latticeTargets(): readonly Target[] {
  const corners = (prng: Prng) => {
    const { min, max } = valid.voxelBox(prng, 3);
    return [[...min], [...max]];
  };
  return [
    ...functionTargets({
      box: [box, corners],
      chunkBox: [chunkBox, corners],
      chunkShape: [
        chunkShape,
        (prng) => [
          prng.pick([
            [16, 16],
            [8, 8, 8],
            [4, 4, 4, 4],
          ]),
        ],
      ],
      dimensionsOf: [dimensionsOf, () => [chunkShape([8, 8, 8])]],
    }),
  ];
}

function chunkTargets(random: Prng): readonly Target[] {
  const { volume } = CUBE_CHUNKS;
  const chunk: Chunk = uniformChunk(volume, 1).set(7, random.below(9));
  return [
    ...functionTargets({
      uniformChunk: [uniformChunk, (prng) => [volume, prng.below(9)]],
      emptyChunk: [emptyChunk, () => [volume]],
      chunkFromVoxels: [chunkFromVoxels, () => [new Uint16Array(volume)]],
      isChunk: [isChunk, () => [chunk]],
    }),
    ...methodTargets("Chunk", chunk, {
      get: (prng) => [prng.below(volume)],
      set: (prng) => [prng.below(volume), prng.below(9)],
      edit: (prng) => [[{ index: prng.below(volume), block: prng.below(9) }]],
      fill: (prng) => [CUBE_CHUNKS, { min: [0, 0, 0, 0], max: [4, 4, 4, 1] }, prng.below(9)],
      equals: () => [chunk],
      voxels: () => [],
      blocks: () => [],
    }),
    ...constructorTargets({
      BlockCatalog: [BlockCatalog, () => [structuredClone(DEFAULT_BLOCKS.types)]],
    }),
  ];
}

function generatorTargets(): readonly Target[] {
  const definition = (prng: Prng) => ({
    id: "rubbish:hills",
    version: 1,
    dimensions: 3,
    parameters: { height: 40, name: "hill", isSnowy: true },
    open: () => () => prng.below(3),
  });
  const ref = valid.generator;
  return [
    ...functionTargets({
      flat: [flat, () => [{ top: 5, thickness: 2, block: 1 }]],
      terrain: [terrain, () => [{ seed: 7n }]],
      platforms: [platforms, () => [{ seed: 7n }]],
      maze: [maze, () => [{ seed: 7n, cells: [5, 2, 5], origin: [0, 0, 0], braidPercent: 5 }]],
      defineGenerator: [defineGenerator, (prng) => [definition(prng)]],
      valueNoise: [valueNoise, () => [{ seed: 7n, period: 64, octaves: 4 }]],
      noise: [valueNoise({ seed: 7n, period: 64 }), (prng) => [prng.below(99), prng.below(99)]],
      hashPosition: [hashPosition, () => [5, 1, 2, 3, 4]],
      generatorIn: [generatorIn, () => [flat]],
      generatorsOf: [generatorsOf, () => [[flat, terrain]]],
      isSeededGenerator: [isSeededGenerator, (prng) => [ref(prng)]],
      firstBlocks: [firstBlocks, () => [flat.generator]],
      withBlockIds: [withBlockIds, (prng) => [ref(prng).ref, flat.generator, DEFAULT_BLOCKS]],
    }),
    ...constructorTargets({
      GeneratorRegistry: [GeneratorRegistry, () => [[flat.generator, terrain.generator]]],
    }),
    ...methodTargets("GeneratorRegistry", DEFAULT_GENERATORS, {
      including: () => [flat.generator],
      find: () => ["flat"],
      moduleOf: (prng) => [ref(prng).ref],
      openIfKnown: (prng) => [ref(prng).ref, chunkShape([8, 8, 8])],
      knows: (prng) => [ref(prng).ref],
      generatorOf: (prng) => [ref(prng).ref],
      sampleHashOf: (prng) => [ref(prng).ref, chunkShape([8, 8, 8])],
      open: (prng) => [ref(prng).ref, chunkShape([8, 8, 8])],
    }),
  ];
}

function operationTargets(): readonly Target[] {
  const options = { dimensions: 3 };
  const random = (prng: Prng) => new RandomOperations(prng, OPERATION_PARTS);
  const texts = (prng: Prng) => {
    const [mask, pattern, selection] = [
      random(prng).mask(),
      random(prng).pattern(),
      random(prng).selection(),
    ];
    return { mask: printMask(mask), pattern: printPattern(pattern), selection: printSelection(selection) };
  };
  const clipboard = new Clipboard(3, {
    extents: [2, 1, 1, 1],
    blocks: new BlockCatalog([
      ...DEFAULT_BLOCKS.types,
      {
        id: 16,
        name: "chest",
        colour: 0,
        solid: true,
        properties: [{ name: "facing", values: ["north", "east", "south", "west"] }],
      },
    ]),
    palette: [{ type: "chest", properties: { facing: "east" } }],
    voxels: Uint16Array.of(0, NOT_COPIED),
    data: new Map(),
  });
  const methods = methodTargets("Clipboard", clipboard, {
    rotate: (prng) => [prng.pick(["xy", "xz", "yz"]), prng.below(4)],
    mirror: (prng) => [prng.pick(["x", "y", "z"])],
    missingIn: () => [DEFAULT_BLOCKS],
    renamed: () => [{ chest: "box" }],
  });
  const functions = functionTargets({
    completeOperation: [
      completeOperation,
      (prng) => [printOperation(random(prng).operation()).slice(0, prng.below(40)), DEFAULT_BLOCKS, options],
    ],
    encodeClipboard: [encodeClipboard, () => [clipboard]],
    decodeClipboard: [decodeClipboard, (prng) => [prng.bytes(prng.below(64))]],
    parseOperation: [parseOperation, (prng) => [printOperation(random(prng).operation()), options]],
    parseMask: [parseMask, (prng) => [texts(prng).mask, options]],
    parsePattern: [parsePattern, (prng) => [texts(prng).pattern]],
    parseSelection: [parseSelection, (prng) => [texts(prng).selection, options]],
    printOperation: [printOperation, (prng) => [random(prng).operation(), options]],
    printMask: [printMask, (prng) => [random(prng).mask(), options]],
    printPattern: [printPattern, (prng) => [random(prng).pattern()]],
    printSelection: [printSelection, (prng) => [random(prng).selection(), options]],
    checkedOperation: [checkedOperation, (prng) => [random(prng).operation(), 3, "operation"]],
    checkedMask: [checkedMask, (prng) => [{ all: [texts(prng).mask, random(prng).mask()] }, 3, "mask"]],
    checkedPattern: [checkedPattern, (prng) => [random(prng).pattern(), "pattern"]],
    checkedSelection: [checkedSelection, (prng) => [random(prng).selection(), 3, "selection"]],
  });
  return [...functions, ...methods];
}

function otherTargets(): readonly Target[] {
  return [
    ...functionTargets({
      isOrthantError: [isOrthantError, () => [new OrthantError("ORT_ARGUMENT", "x"), "ORT_ARGUMENT"]],
      printable: [printable, (prng) => [valid.text(prng)]],
      nameFault: [nameFault, (prng) => [valid.text(prng)]],
      nextTurn: [nextTurn, () => []],
    }),
  ];
}
