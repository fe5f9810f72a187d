import { type ChunkShape, CUBE_CHUNKS, HYPERCUBE_CHUNKS, TILE_CHUNKS } from "@orthant/core";

/** A template for new worlds. */
export interface Template {
  readonly name: string;
  readonly shape: ChunkShape;
  /** The default generator. */
  readonly generator: string;
  /** Parameters that suit the shape better than a generator's own defaults, by the generator's name. */
  readonly defaults: Readonly<Record<string, object>>;
}

/** All templates. */
export const TEMPLATES: readonly Template[] = [
  { name: "platforms", shape: HYPERCUBE_CHUNKS, generator: "platforms", defaults: {} },
  { name: "terrain", shape: CUBE_CHUNKS, generator: "terrain", defaults: {} },
  {
    name: "tiles",
    shape: TILE_CHUNKS,
    generator: "flat",
    defaults: {
      // Seen from the side, a floor of two tiles would be a line.
      flat: { thickness: 16 },
      maze: { origin: [-64, 0, 0, 0], cells: [32, 16, 1, 1] },
    },
  },
];
