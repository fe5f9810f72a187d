import { enlarged, TEXTURE_EDGE_MAX, type TexturePicture, TextureStack } from "../texture-stack.ts";
import type { JsonNode } from "./json-node.ts";
import type { LookProblems } from "./look-problems.ts";
import type { TextureSpec } from "./look-spec.ts";

/** Maximum number of pictures of which a texture shows one by position. */
const VARIANTS_MAX = 16;
const COLOUR = /^#[0-9a-f]{6}$/i;
const FIELDS = ["picture", "tint", "turn", "scatter"];
const NO_EDGE = 16;

/** Reads which pictures a look names, and puts those into layers. */
export class TextureReader {
  readonly stack: TextureStack;
  readonly #pictures: ReadonlyMap<string, TexturePicture>;
  readonly #problems: LookProblems;
  readonly #layers = new Map<string, number>();
  readonly #named = new Map<string, TextureSpec>();

  constructor(pictures: ReadonlyMap<string, TexturePicture>, problems: LookProblems) {
    this.#pictures = pictures;
    this.#problems = problems;
    const edges = [...pictures.values()].map(({ width }) => width);
    this.stack = new TextureStack(
      edges.reduce((most, edge) => Math.max(most, usableEdge(edge)), 0) || NO_EDGE,
    );
  }

  /** Reads the names that a pack gives to textures. */
  readNamed(node: JsonNode): void {
    for (const [name, texture] of fieldsIn(node, this.#problems) ?? []) {
      const read = this.read(texture);
      if (read !== undefined) this.#named.set(name, read);
    }
  }

  /** Reads a texture: a name, a list of names, or an object that says more. */
  read(node: JsonNode): TextureSpec | undefined {
    const { value } = node;
    if (typeof value === "string") {
      const named = this.#named.get(value);
      if (named !== undefined) return named;
    }
    if (!(value instanceof Map)) return this.#pictured(node);
    requireFields(value, FIELDS, this.#problems);
    const picture = value.get("picture");
    if (picture === undefined) return this.#problems.add(node, 'it says no "picture"');
    const texture = this.#pictured(picture);
    if (texture === undefined) return undefined;
    const turn = value.get("turn");
    const degrees = turn === undefined ? 0 : turn.value;
    if (turn !== undefined && ![0, 90, 180, 270].includes(degrees as number))
      return this.#problems.add(turn, "it is 0, 90, 180 or 270, counterclockwise");
    return {
      ...texture,
      turns: ((degrees as number) / 90) as 0,
      isScattered: readFlag(value.get("scatter"), this.#problems) ?? false,
      tint: readColour(value.get("tint"), this.#problems),
    };
  }

  #pictured(node: JsonNode): TextureSpec | undefined {
    const items = Array.isArray(node.value) ? (node.value as readonly JsonNode[]) : [node];
    if (items.length === 0 || items.length > VARIANTS_MAX)
      return this.#problems.add(node, `it is a list of 1 to ${VARIANTS_MAX} pictures`);
    const pixels: Uint8Array[] = [];
    for (const item of items) {
      const picture = this.#pixelsOf(item);
      if (picture === undefined) return undefined;
      pixels.push(picture);
    }
    const key = JSON.stringify(items.map(({ value }) => value));
    let layer = this.#layers.get(key);
    if (layer === undefined) {
      layer = pixels.map((layerPixels) => this.stack.add(layerPixels))[0] as number;
      this.#layers.set(key, layer);
    }
    return { layer, variants: items.length, turns: 0, isScattered: false, tint: undefined };
  }

  #pixelsOf(node: JsonNode): Uint8Array | undefined {
    const name = node.value;
    if (typeof name !== "string")
      return this.#problems.add(node, 'it is the name of a picture, such as "stone" for stone.png');
    const picture = this.#pictures.get(name);
    if (picture === undefined) {
      return this.#problems.addUnknown(node, "picture", name, [
        ...this.#pictures.keys(),
        ...this.#named.keys(),
      ]);
    }
    const { width, height, pixels } = picture;
    if (width !== height || usableEdge(width) !== width || pixels.length !== width * height * 4) {
      const rule = `a texture is a square of 1, 2, 4, 8, 16, 32 or ${TEXTURE_EDGE_MAX} pixels on each edge`;
      return this.#problems.add(node, `the picture "${name}" has ${width} x ${height} pixels; ${rule}`);
    }
    return enlarged(picture, this.stack.edge);
  }
}

/** Reads the fields of an object. */
export function fieldsIn(node: JsonNode, problems: LookProblems): ReadonlyMap<string, JsonNode> | undefined {
  return node.value instanceof Map ? node.value : problems.add(node, "it is an object in { }");
}

/** Adds a problem for each field that is not known. */
export function requireFields(
  fields: ReadonlyMap<string, JsonNode>,
  known: readonly string[],
  problems: LookProblems,
): void {
  for (const [name, node] of fields)
    if (!known.includes(name)) problems.addUnknown(node, "field", name, known);
}

/** Reads a colour. */
export function readColour(node: JsonNode | undefined, problems: LookProblems): number | undefined {
  if (node === undefined) return undefined;
  const { value } = node;
  if (typeof value === "string" && COLOUR.test(value)) return Number.parseInt(value.slice(1), 16);
  return problems.add(node, 'it is a colour such as "#6a9f4b"');
}

/** Reads true or false. */
export function readFlag(node: JsonNode | undefined, problems: LookProblems): boolean | undefined {
  if (node === undefined) return undefined;
  return typeof node.value === "boolean" ? node.value : problems.add(node, "it is true or false");
}

function usableEdge(edge: number): number {
  return edge <= TEXTURE_EDGE_MAX && edge > 0 && (edge & (edge - 1)) === 0 ? edge : 0;
}
