import type { BlockAppearance } from "@orthant/mesh";
import {
  ALL_SIDES,
  INVISIBLE,
  OPAQUE,
  TRANSPARENT,
  type Volume,
  type VolumePoint,
} from "@orthant/mesh/volume";

/** Numbers per vertex: its position, and a word with its side, its light and its glow. */
const POSITION_NUMBERS = 4;

/** A surface made of quads with four vertices each; the triangles are 0, 1, 2 and 0, 2, 3. */
export interface VertexMesh {
  /** Four numbers for each vertex: its place, then its side in three bits, its light in two, and whether it glows. */
  readonly positions: Uint16Array<ArrayBuffer>;
  /** Four bytes for each vertex: red, green, blue and opacity. */
  readonly colours: Uint8Array<ArrayBuffer>;
}

const NO_VERTICES: VertexMesh = { positions: new Uint16Array(0), colours: new Uint8Array(0) };

/** Collects vertices. Reuses its memory for the next mesh. */
class VertexList {
  #positions = new Uint16Array(1 << 14);
  #colours = new Uint8Array(1 << 14);
  #vertices = 0;

  /** Adds a vertex. */
  add(right: number, up: number, back: number, word: number, colour: number, opacity: number): void {
    if ((this.#vertices + 1) * POSITION_NUMBERS > this.#positions.length) this.#grow();
    const at = this.#vertices++ * POSITION_NUMBERS;
    this.#positions[at] = right;
    this.#positions[at + 1] = up;
    this.#positions[at + 2] = back;
    this.#positions[at + 3] = word;
    this.#colours[at] = colour >>> 16;
    this.#colours[at + 1] = (colour >>> 8) & 0xff;
    this.#colours[at + 2] = colour & 0xff;
    this.#colours[at + 3] = opacity;
  }

  /** Returns a copy of the vertices added since the last call. */
  take(): VertexMesh {
    const length = this.#vertices * POSITION_NUMBERS;
    this.#vertices = 0;
    if (length === 0) return NO_VERTICES;
    return { positions: this.#positions.slice(0, length), colours: this.#colours.slice(0, length) };
  }

  #grow(): void {
    const positions = new Uint16Array(this.#positions.length * 2);
    const colours = new Uint8Array(this.#colours.length * 2);
    positions.set(this.#positions);
    colours.set(this.#colours);
    this.#positions = positions;
    this.#colours = colours;
  }
}

/** The surface of a volume, split into opaque and transparent quads. */
interface VertexMeshes {
  readonly opaque: VertexMesh;
  readonly transparent: VertexMesh;
}

/** Light of an unoccluded corner; each adjacent opaque voxel subtracts one. */
const LIGHT_FULL = 3;
const FULL_CORNERS = 0xff;
/** Bits of a face key: a block, then two bits for each corner. */
const CORNER_SHIFT = 16;
const TRANSPARENT_OPACITY = 150;
const OPAQUE_OPACITY = 255;

/**
 * The mesher of earlier versions, which looks at every voxel for every side: slow and plain, to compare others with. Merges
 * faces of the same block, with the same light at their corners, into one quad. Reuses its buffers for every volume.
 */
export class GreedyMesher {
  readonly #appearance: BlockAppearance;
  readonly #opaque = new VertexList();
  readonly #transparent = new VertexList();
  #isShaded = true;
  #classes = new Uint8Array(0);
  #keys = new Int32Array(0);

  constructor(appearance: BlockAppearance) {
    this.#appearance = appearance;
  }

  /** Returns the surface of a volume. The voxels around it only hide and shade faces. */
  mesh(volume: Volume, isShaded: boolean): VertexMeshes {
    if (this.#classify(volume)) {
      this.#isShaded = isShaded;
      for (const side of ALL_SIDES) this.#faces(volume, (side >> 1) as 0 | 1 | 2, side % 2 === 0 ? 1 : -1);
    }
    return { opaque: this.#opaque.take(), transparent: this.#transparent.take() };
  }

  /** Classifies each voxel by opacity. Returns false when the volume has no surface. */
  #classify({ blocks }: Volume): boolean {
    if (this.#classes.length < blocks.length) this.#classes = new Uint8Array(blocks.length);
    const classes = this.#classes;
    const { kinds } = this.#appearance;
    let any = 0;
    let all = 0xff;
    for (let index = 0; index < blocks.length; index++) {
      const kind = kinds[blocks[index] as number] as number;
      classes[index] = kind;
      any |= kind;
      all &= kind;
    }
    return any !== INVISIBLE && all !== OPAQUE;
  }

  /** Adds the faces in one direction of an axis, layer by layer. */
  #faces(volume: Volume, axis: 0 | 1 | 2, sign: 1 | -1): void {
    const { size } = volume;
    const across = ((axis + 1) % 3) as 0 | 1 | 2;
    const along = ((axis + 2) % 3) as 0 | 1 | 2;
    const cells = size[across] * size[along];
    if (this.#keys.length < cells) this.#keys = new Int32Array(cells);
    for (let layer = 0; layer < size[axis]; layer++) {
      if (this.#findFaces(volume, [axis, across, along], sign, layer)) {
        this.#mergeFaces(size, [axis, across, along], sign, layer);
      }
    }
  }

  /** Writes a key for each face of a layer, 0 for none. Returns false when the layer has no face. */
  #findFaces(
    { size, blocks }: Volume,
    [axis, across, along]: readonly [0 | 1 | 2, 0 | 1 | 2, 0 | 1 | 2],
    sign: 1 | -1,
    layer: number,
  ): boolean {
    const strides = [1, size[0] + 2, (size[0] + 2) * (size[1] + 2)] as const;
    const acrossStride = strides[across];
    const alongStride = strides[along];
    const outward = sign * strides[axis];
    const classes = this.#classes;
    const keys = this.#keys;
    const isShaded = this.#isShaded;
    let index = 0;
    let any = 0;
    for (let v = 0; v < size[along]; v++) {
      let cell = (layer + 1) * strides[axis] + acrossStride + (v + 1) * alongStride;
      for (let u = 0; u < size[across]; u++, cell += acrossStride) {
        const kind = classes[cell] as number;
        const before = classes[cell + outward] as number;
        let key = 0;
        if (kind === OPAQUE) {
          if (before !== OPAQUE) {
            const light = isShaded
              ? cornerLight(classes, cell + outward, acrossStride, alongStride)
              : FULL_CORNERS;
            key = (blocks[cell] as number) | (light << CORNER_SHIFT);
          }
        } else if (kind === TRANSPARENT && before === INVISIBLE) {
          key = (blocks[cell] as number) | (FULL_CORNERS << CORNER_SHIFT);
        }
        keys[index++] = key;
        any |= key;
      }
    }
    return any !== 0;
  }

  #mergeFaces(
    size: VolumePoint,
    axes: readonly [0 | 1 | 2, 0 | 1 | 2, 0 | 1 | 2],
    sign: 1 | -1,
    layer: number,
  ): void {
    const width = size[axes[1]];
    const height = size[axes[2]];
    const keys = this.#keys;
    for (let v = 0; v < height; v++)
      for (let u = 0; u < width; ) {
        const key = keys[u + v * width] as number;
        if (key === 0) {
          u++;
          continue;
        }
        const light = key >>> CORNER_SHIFT;
        let wide = 1;
        // Faces whose light varies are not merged: one large face would interpolate it differently.
        if (isEvenAcross(light)) while (u + wide < width && keys[u + wide + v * width] === key) wide++;
        let high = 1;
        if (isEvenAlong(light))
          while (v + high < height && isRun(keys, key, u + (v + high) * width, wide)) high++;
        for (let row = 0; row < high; row++)
          keys.fill(0, u + (v + row) * width, u + wide + (v + row) * width);
        this.#addQuad(axes, sign, [layer, u, v], [wide, high], key);
        u += wide;
      }
  }

  #addQuad(
    [axis, across, along]: readonly [0 | 1 | 2, 0 | 1 | 2, 0 | 1 | 2],
    sign: 1 | -1,
    [layer, u, v]: VolumePoint,
    [wide, high]: readonly [number, number],
    key: number,
  ): void {
    const block = key & 0xffff;
    const light = key >>> CORNER_SHIFT;
    const isTransparent = this.#appearance.kinds[block] === TRANSPARENT;
    const side = axis * 2 + (sign > 0 ? 0 : 1);
    const glow = this.#appearance.glows[block] as number;
    const colour = this.#appearance.colours[block] as number;
    const list = isTransparent ? this.#transparent : this.#opaque;
    // Seen from outside, the corners run counterclockwise.
    const corners = sign > 0 ? [0, 1, 2, 3] : [0, 3, 2, 1];
    const lightAt = (corner: number): number => (light >>> (corner * 2)) & 3;
    // The quad is split into two triangles along its brighter diagonal.
    const turn = lightAt(0) + lightAt(2) >= lightAt(1) + lightAt(3) ? 0 : 1;
    const position: [number, number, number] = [0, 0, 0];
    position[axis] = layer + (sign > 0 ? 1 : 0);
    for (let index = 0; index < 4; index++) {
      const corner = corners[(index + turn) % 4] as number;
      position[across] = u + (corner === 1 || corner === 2 ? wide : 0);
      position[along] = v + (corner >= 2 ? high : 0);
      const word = side | (lightAt(corner) << 3) | (glow << 5);
      list.add(
        position[0],
        position[1],
        position[2],
        word,
        colour,
        isTransparent ? TRANSPARENT_OPACITY : OPAQUE_OPACITY,
      );
    }
  }
}

/** Returns the light at the corners of a face, two bits each, from the eight cells around the one before. */
function cornerLight(classes: Uint8Array, before: number, across: number, along: number): number {
  const isStop = (cell: number): number => (classes[cell] === OPAQUE ? 1 : 0);
  const left = isStop(before - across);
  const right = isStop(before + across);
  const low = isStop(before - along);
  const high = isStop(before + along);
  return (
    lightOf(left, low, isStop(before - across - along)) |
    (lightOf(right, low, isStop(before + across - along)) << 2) |
    (lightOf(right, high, isStop(before + across + along)) << 4) |
    (lightOf(left, high, isStop(before - across + along)) << 6)
  );
}

function lightOf(side: number, otherSide: number, corner: number): number {
  return side + otherSide === 2 ? 0 : LIGHT_FULL - side - otherSide - corner;
}

/** Whether light is constant across the face: corners 0 and 1 match, and so do 3 and 2. */
function isEvenAcross(light: number): boolean {
  return ((light ^ (light >>> 2)) & 3) === 0 && (((light >>> 4) ^ (light >>> 6)) & 3) === 0;
}

function isEvenAlong(light: number): boolean {
  return ((light ^ (light >>> 6)) & 3) === 0 && (((light >>> 2) ^ (light >>> 4)) & 3) === 0;
}

function isRun(keys: Int32Array, key: number, from: number, length: number): boolean {
  for (let index = from; index < from + length; index++) if (keys[index] !== key) return false;
  return true;
}
