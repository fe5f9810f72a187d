import { defineGenerator, emptyChunk, uniformChunk } from "@orthant/core";

// Generators that workers load from this module. Plain JavaScript, because workers run without a compiler.

export const MODULE = import.meta.url;
const common = { version: 1, dimensions: 3, module: MODULE };

/** A block in every other voxel of half of the chunks. */
export const odd = defineGenerator({
  ...common,
  id: "test:odd",
  parameters: { block: 1 },
  open:
    ({ parameters }) =>
    (x, y, z) =>
      y < 0 && (x + y + z) % 2 === 0 ? parameters.block : 0,
});

/** Throws something that is not an error of Orthant. */
export const throwing = defineGenerator({
  ...common,
  id: "test:throwing",
  open: () => () => {
    throw new TypeError("oh");
  },
});

/** Ends its process or thread. */
export const crashing = defineGenerator({
  ...common,
  id: "test:crashing",
  open: () => () => process.exit(5),
});

const slowly = defineGenerator({
  ...common,
  id: "test:slow",
  parameters: { delayMs: 0, isEndless: false },
  open: () => () => 0,
});

const generator = {
  ...slowly.generator,
  open: ({ delayMs, isEndless }, _seed, shape) => ({
    isAsynchronous: true,
    repeatedIn: () => undefined,
    async realize(x, y) {
      while (isEndless);
      if (delayMs > 0) await new Promise((resolve) => setTimeout(resolve, delayMs));
      return y < 0 ? uniformChunk(shape.volume, 1 + (x & 3)) : emptyChunk(shape.volume);
    },
    contentBounds: (box) => box,
  }),
};

/** Takes its time, asynchronously, or forever. */
export const slow = Object.assign((options) => ({ ref: slowly(options).ref, generator }), { generator });
