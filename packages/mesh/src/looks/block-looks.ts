/** How faces join the picture: drawn whole, with holes, or mixed with what lies behind them. */
export type DrawPass = "opaque" | "cutout" | "blended";

/** What is drawn on one face. */
export interface FaceTexture {
  /** Layer of the texture array; the first one when there are variants. */
  readonly layer: number;
  /** Number of layers, from `layer` on, of which a hash of the voxel's position picks one. */
  readonly variants: number;
  /** Whether a hash of the voxel's position also turns the texture by quarters. */
  readonly isScattered: boolean;
  /**
   * Quarter turns of the texture, counterclockwise as seen from outside. Without any, a texture goes on a side of a cube
   * to the right and down as seen from outside: on the sides around, its top is up; on top and below it begins at the
   * west, where x is least, and on top in the north, where z is least. Always 0 in a quad, whose uvs are turned.
   */
  readonly turns: 0 | 1 | 2 | 3;
  /** 0xRRGGBB, multiplied with the texture; 0xffffff leaves it as it is. */
  readonly tint: number;
}

/** One face of a model that is not a whole cube. Seen from one side only: a plant has two for each leaf. */
export interface ModelQuad {
  /** Four corners of three numbers each, in sixteenths of a voxel from its lowest corner; counterclockwise from outside. */
  readonly corners: readonly number[];
  /** Two numbers for each corner, in sixteenths of the texture; the origin is its upper left corner. */
  readonly uvs: readonly number[];
  readonly texture: FaceTexture;
  /** The side of the voxel in whose plane the quad lies, so that a neighbour may cover it; else `undefined`. */
  readonly side: number | undefined;
}

/** How one block, with certain values of its properties, is drawn. */
export interface BlockLook {
  /** `undefined` for what is not drawn, such as air. */
  readonly pass: DrawPass | undefined;
  /** The faces of a whole cube, in the order of sides: +x, -x, +y, -y, +z, -z. `undefined` for another model. */
  readonly cube: readonly FaceTexture[] | undefined;
  /** The faces of a model that is not a whole cube; empty for a cube. */
  readonly quads: readonly ModelQuad[];
  /** Whether it shines by itself, so that nothing shades it. */
  readonly isGlowing: boolean;
  /** Whether its surface lies an eighth below the top of its voxel unless the same block is above, as that of water. */
  readonly isLiquid: boolean;
  /** Whether no face lies between two voxels of the same block, as inside water and glass; leaves have them. */
  readonly joins: boolean;
  /** 0xRRGGBB, for what is too far away for a texture. */
  readonly farColour: number;
}

/** Square textures of one size, as the layers of one array. */
export interface TextureLayers {
  /** Pixels on each edge. */
  readonly edge: number;
  readonly count: number;
  /** Four bytes for each pixel: red, green, blue (sRGB) and opacity; layer by layer, row by row from the top. */
  readonly pixels: Uint8Array<ArrayBuffer>;
}

/** How all blocks of a catalog are drawn. Immutable: a catalog that grew has other looks. */
export interface BlockLooks {
  readonly textures: TextureLayers;
  /** Returns how a block is drawn. Ids that share a look share the object. */
  lookOf(block: number): BlockLook;
}
