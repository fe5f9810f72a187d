/** Numbers per vertex: its position in the block, and a word with its side, its light and its glow. */
export const PLACE_NUMBERS = 4;
/** Bytes of a vertex's colour. */
export const COLOUR_BYTES = 4;
const VERTICES_PER_QUAD = 4;

/** A surface made of quads with four vertices each; the triangles are 0, 1, 2 and 0, 2, 3. */
export interface QuadMesh {
  readonly places: Uint16Array<ArrayBuffer>;
  readonly colours: Uint8Array<ArrayBuffer>;
}

/** An empty mesh. */
export const NO_QUADS: QuadMesh = { places: new Uint16Array(0), colours: new Uint8Array(0) };

/** Size of a mesh in bytes, in memory and on the graphics card. */
export function meshBytes({ places, colours }: QuadMesh): number {
  return places.byteLength + colours.byteLength;
}

/** Number of quads in a mesh. */
export function quadCount({ places }: QuadMesh): number {
  return places.length / (VERTICES_PER_QUAD * PLACE_NUMBERS);
}

/** Collects vertices. Reuses its memory for the next mesh. */
export class QuadList {
  #places = new Uint16Array(1 << 14);
  #colours = new Uint8Array(1 << 14);
  #vertices = 0;

  /** Adds a vertex. */
  add(right: number, up: number, back: number, word: number, colour: number, opacity: number): void {
    if ((this.#vertices + 1) * PLACE_NUMBERS > this.#places.length) this.#grow();
    const at = this.#vertices++ * PLACE_NUMBERS;
    this.#places[at] = right;
    this.#places[at + 1] = up;
    this.#places[at + 2] = back;
    this.#places[at + 3] = word;
    this.#colours[at] = colour >>> 16;
    this.#colours[at + 1] = (colour >>> 8) & 0xff;
    this.#colours[at + 2] = colour & 0xff;
    this.#colours[at + 3] = opacity;
  }

  /** Returns a copy of the vertices added since the last call. */
  take(): QuadMesh {
    const length = this.#vertices * PLACE_NUMBERS;
    this.#vertices = 0;
    if (length === 0) return NO_QUADS;
    return { places: this.#places.slice(0, length), colours: this.#colours.slice(0, length) };
  }

  #grow(): void {
    const places = new Uint16Array(this.#places.length * 2);
    const colours = new Uint8Array(this.#colours.length * 2);
    places.set(this.#places);
    colours.set(this.#colours);
    this.#places = places;
    this.#colours = colours;
  }
}
