import { OrthantError } from "@orthant/core";
import type { FaceTexture, ModelQuad } from "../block-looks.ts";
import {
  ALL_SIDE_NAMES,
  boxSide,
  type ModelPoint,
  SIDES,
  type TexturePart,
  texturePartOf,
  tiltedQuads,
} from "../models/quads.ts";
import { fullId, type JsonObject, objectOf, type PackFiles } from "./pack-files.ts";

/** A face of a model, without its layer. */
export interface ModelFace {
  readonly side: number;
  readonly from: ModelPoint;
  readonly to: ModelPoint;
  readonly part: TexturePart;
  readonly turns: number;
  readonly texture: string;
  readonly isTinted: boolean;
  readonly tilt: Tilt | undefined;
}

interface Tilt {
  readonly origin: ModelPoint;
  readonly axis: 0 | 1 | 2;
  readonly degrees: number;
  readonly scale: number;
}

/** A model with all that its parents say. */
export interface BlockModel {
  readonly faces: readonly ModelFace[];
  /** The texture of its splinters, which stands for a block that another program draws. */
  readonly particle: string | undefined;
}

const PARENTS_MAX = 32;
const ELEMENTS_MAX = 1_024;
const MODELS_MAX = 16_384;
const FACES_MAX = 262_144;
const REACH = { min: -16, max: 32 } as const;
const DEGREES_MAX = 45;
const AXES: readonly unknown[] = ["x", "y", "z"];

/** Reads models and their parents, each once. */
export class ModelReader {
  readonly #files: PackFiles;
  readonly #models = new Map<string, JsonObject | undefined>();
  #facesLeft = FACES_MAX;

  constructor(files: PackFiles) {
    this.#files = files;
  }

  /** Returns a model. One that no pack has has no faces. */
  async read(id: string): Promise<BlockModel> {
    const textures = new Map<string, string>();
    let elements: readonly unknown[] | undefined;
    let next: string | undefined = id;
    for (let parents = 0; next !== undefined; parents++) {
      const path = fullId(next);
      if (parents > PARENTS_MAX) throw tooMuch(`more than ${PARENTS_MAX} parents`, id);
      const model: JsonObject = (await this.#file(path)) ?? {};
      for (const [name, texture] of Object.entries(objectOf(model["textures"]))) {
        const value = typeof texture === "string" ? texture : objectOf(texture)["sprite"];
        // What a child says counts more than what its parents say.
        if (typeof value === "string" && !textures.has(name)) textures.set(name, value);
      }
      if (elements === undefined && Array.isArray(model["elements"])) elements = model["elements"];
      next = typeof model["parent"] === "string" ? model["parent"] : undefined;
    }
    const resolve = (name: string): string | undefined => resolvedTexture(name, textures);
    if ((elements?.length ?? 0) > ELEMENTS_MAX) throw tooMuch(`more than ${ELEMENTS_MAX} elements`, id);
    const faces = (elements ?? []).flatMap((element) => facesOfElement(objectOf(element), resolve));
    this.#facesLeft -= faces.length;
    if (this.#facesLeft < 0) throw tooMuch(`more than ${FACES_MAX} faces of all models`, id);
    return { faces, particle: resolve("#particle") };
  }

  async #file(id: string): Promise<JsonObject | undefined> {
    if (this.#models.has(id)) return this.#models.get(id);
    if (this.#models.size >= MODELS_MAX) throw tooMuch(`more than ${MODELS_MAX} models`, id);
    const model = await this.#files.json("models", id);
    this.#models.set(id, model);
    return model;
  }
}

/** Returns a face as a quad. */
export function quadOfFace(
  { side, from, to, part, turns, tilt }: ModelFace,
  texture: FaceTexture,
): ModelQuad {
  const quad = boxSide(side, from, to, texture, part, turns);
  if (tilt === undefined) return quad;
  return tiltedQuads([quad], tilt.origin, tilt.axis, tilt.degrees, tilt.scale)[0] ?? quad;
}

function facesOfElement(
  element: JsonObject,
  resolve: (name: string) => string | undefined,
): readonly ModelFace[] {
  const [from, to] = [pointOf(element["from"]), pointOf(element["to"])];
  if (from === undefined || to === undefined) return [];
  const tilt = tiltOf(objectOf(element["rotation"]));
  const faces = objectOf(element["faces"]);
  return ALL_SIDE_NAMES.flatMap((name) => {
    if (!Object.hasOwn(faces, name)) return [];
    const face = objectOf(faces[name]);
    const texture = typeof face["texture"] === "string" ? resolve(face["texture"]) : undefined;
    if (texture === undefined) return [];
    const side = SIDES[name];
    const rotation = typeof face["rotation"] === "number" ? face["rotation"] / 90 : 0;
    return [
      {
        side,
        from,
        to,
        part: partOfFace(face["uv"]) ?? texturePartOf(side, from, to),
        turns: Number.isInteger(rotation) ? (4 - (rotation & 3)) & 3 : 0,
        texture,
        isTinted: typeof face["tintindex"] === "number" && face["tintindex"] >= 0,
        tilt,
      },
    ];
  });
}

function tiltOf({ origin, axis, angle, rescale }: JsonObject): Tilt | undefined {
  const point = pointOf(origin);
  const at = AXES.indexOf(axis);
  if (point === undefined || at < 0 || typeof angle !== "number" || angle === 0) return undefined;
  if (!(Math.abs(angle) <= DEGREES_MAX)) return undefined;
  const scale = rescale === true ? 1 / Math.cos((angle * Math.PI) / 180) : 1;
  return { origin: point, axis: at as 0, degrees: angle, scale };
}

/** Follows `#side` to `block/stone`. */
function resolvedTexture(name: string, textures: ReadonlyMap<string, string>): string | undefined {
  let found: string | undefined = name;
  for (let steps = 0; steps <= PARENTS_MAX; steps++) {
    if (found === undefined) return undefined;
    if (!found.startsWith("#")) {
      // Old models name a variable without its sign.
      if (steps > 0 || !textures.has(found)) return fullId(found);
      found = textures.get(found);
    } else found = textures.get(found.slice(1));
  }
  return undefined;
}

function pointOf(value: unknown): ModelPoint | undefined {
  return isNumbers(value, 3, REACH.min, REACH.max) ? (value as unknown as ModelPoint) : undefined;
}

function partOfFace(value: unknown): TexturePart | undefined {
  return isNumbers(value, 4, REACH.min, REACH.max) ? (value as unknown as TexturePart) : undefined;
}

function isNumbers(value: unknown, count: number, min: number, max: number): value is readonly number[] {
  return (
    Array.isArray(value) &&
    value.length === count &&
    value.every((part) => typeof part === "number" && part >= min && part <= max)
  );
}

function tooMuch(detail: string, id: string): OrthantError {
  return new OrthantError("ORT_LIMIT", detail, { path: `models/${fullId(id)}`.slice(0, 200) });
}
