/** Numbers per vertex: its position in the mesh block, and a word with its side, its light and its glow. */
export const POSITION_NUMBERS = 4;
/** Bytes of a vertex's colour. */
export const COLOUR_BYTES = 4;
const VERTICES_PER_QUAD = 4;

/** A surface made of quads with four vertices each; the triangles are 0, 1, 2 and 0, 2, 3. */
export interface QuadMesh {
  readonly positions: Uint16Array<ArrayBuffer>;
  readonly colours: Uint8Array<ArrayBuffer>;
}

/** An empty mesh. */
export const NO_QUADS: QuadMesh = { positions: new Uint16Array(0), colours: new Uint8Array(0) };

/** Size of a mesh in bytes, in memory and on the graphics card. */
export function meshBytes({ positions, colours }: QuadMesh): number {
  return positions.byteLength + colours.byteLength;
}

/** Number of quads in a mesh. */
export function quadCount({ positions }: QuadMesh): number {
  return positions.length / (VERTICES_PER_QUAD * POSITION_NUMBERS);
}

/** Collects vertices. Reuses its memory for the next mesh. */
export class QuadList {
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
  take(): QuadMesh {
    const length = this.#vertices * POSITION_NUMBERS;
    this.#vertices = 0;
    if (length === 0) return NO_QUADS;
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
