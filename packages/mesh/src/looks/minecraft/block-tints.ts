const GRASS = 0x91bd59;

/** Colours of tinted faces by the block's own name; the first that fits counts. Packs have them in pictures by climate. */
const TINTS: readonly (readonly [name: RegExp, colour: number])[] = [
  [/^spruce_leaves$/, 0x619961],
  [/^birch_leaves$/, 0x80a755],
  [/leaves|vine/, 0x77ab2f],
  [/water|cauldron|bubble_column/, 0x3f76e4],
  [/^lily_pad$/, 0x208030],
  [/^redstone_wire$/, 0xc01010],
  [/^attached_/, 0xe0c71c],
];

/** Returns the colour of a block's tinted faces: that of plains. */
export function tintOf(name: string): number {
  return TINTS.find(([pattern]) => pattern.test(name))?.[1] ?? GRASS;
}
