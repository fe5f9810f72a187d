import type { BlockProperties, BlockType } from "@orthant/core";
import type { BlockLook, DrawPass, FaceTexture, ModelQuad } from "../block-looks.ts";
import type { Model } from "../models/models.ts";
import { cubeOf, type Faces, SIDES } from "../models/quads.ts";
import { multiplied, type TextureStack } from "../texture-stack.ts";

/** The faces that a look can name, where it names more than one for a side the first of `FACES_OF_SIDES` counts. */
export type FaceName = "texture" | "top" | "bottom" | "side" | "end" | "front" | "back" | "left" | "right";

/** The names of each side's texture, in the order of sides. A block faces north; left and right are those of who looks at it. */
const FACES_OF_SIDES: readonly (readonly FaceName[])[] = [
  ["left", "side", "texture"],
  ["right", "side", "texture"],
  ["top", "end", "texture"],
  ["bottom", "end", "texture"],
  ["back", "side", "texture"],
  ["front", "side", "texture"],
];
const WHITE = 0xff_ffff;
const PASSES: readonly DrawPass[] = ["opaque", "cutout", "blended"];

/** A texture as a look names it. What is `undefined` follows from the look. */
export interface TextureSpec {
  readonly layer: number;
  readonly variants: number;
  readonly turns: 0 | 1 | 2 | 3;
  readonly isScattered: boolean;
  readonly tint: number | undefined;
}

/** What a look says, without what depends on values of properties. */
export interface LookSpec {
  /** `undefined` for a cube. */
  readonly model?: Model | "none";
  readonly textures: ReadonlyMap<FaceName, TextureSpec>;
  readonly tint?: number;
  readonly pass?: DrawPass;
  readonly glow?: boolean;
  readonly liquid?: boolean;
  readonly joins?: boolean;
  readonly far?: number;
}

/** What another look changes when properties have certain values. */
export interface LookChange {
  readonly values: ReadonlyMap<string, ReadonlySet<string>>;
  readonly spec: LookSpec;
}

/** How a type is drawn. */
export interface TypeSpec {
  readonly base: LookSpec;
  readonly changes: readonly LookChange[];
}

/** Returns what a type's look says for values of its properties. */
export function specFor({ base, changes }: TypeSpec, properties: BlockProperties): LookSpec {
  let spec = base;
  for (const { values, spec: change } of changes) {
    const fits = [...values].every(([name, wanted]) => wanted.has(properties[name] ?? ""));
    if (fits) spec = merged(spec, change);
  }
  return spec;
}

function merged(base: LookSpec, change: LookSpec): LookSpec {
  // A texture for all faces also replaces those that were named one by one.
  const kept = change.textures.has("texture") ? [] : base.textures;
  return { ...base, ...change, textures: new Map([...kept, ...change.textures]) };
}

/** Returns the textures of a block that faces north, by side. */
export function facesOf({ textures, tint = WHITE }: LookSpec): Faces {
  return FACES_OF_SIDES.map((names) => {
    const name = names.find((known) => textures.has(known));
    const texture = name === undefined ? [...textures.values()][0] : textures.get(name);
    return texture && { ...texture, tint: texture.tint ?? tint };
  });
}

/** Returns how a block is drawn. */
export function lookOfSpec(
  spec: LookSpec,
  model: Model,
  type: BlockType,
  properties: BlockProperties,
  stack: TextureStack,
): BlockLook {
  const quads = spec.model === "none" ? [] : model(facesOf(spec), properties);
  const { pass, glow = type.light > 0, liquid = false, joins, far } = spec;
  const drawn = lookOfQuads(quads, stack, pass);
  return {
    ...drawn,
    isGlowing: glow,
    isLiquid: liquid,
    joins: joins ?? drawn.joins,
    farColour: far ?? drawn.farColour,
  };
}

/** Returns how a block of these quads is drawn; `pass` as their textures need it by default. */
export function lookOfQuads(
  quads: readonly ModelQuad[],
  stack: TextureStack,
  pass: DrawPass = passOf(
    quads.map(({ texture }) => texture),
    stack,
  ),
): BlockLook {
  const cube = cubeOf(quads);
  return {
    pass: quads.length === 0 ? undefined : pass,
    cube,
    // A part of a texture that is turned by position would not meet the part beside it.
    quads: cube ? [] : quads.map((quad) => ({ ...quad, texture: { ...quad.texture, isScattered: false } })),
    isGlowing: false,
    isLiquid: false,
    joins: pass !== "cutout",
    farColour: farColour(quads, stack),
  };
}

/** Returns what the textures of a look need at least. */
function passOf(textures: readonly FaceTexture[], stack: TextureStack): DrawPass {
  const needs = textures.flatMap(({ layer, variants }) =>
    Array.from({ length: variants }, (_, variant) => PASSES.indexOf(stack.passOf(layer + variant))),
  );
  return PASSES[Math.max(0, ...needs)] as DrawPass;
}

/** Returns the colour of what one sees most of from afar: the top. */
function farColour(quads: readonly ModelQuad[], stack: TextureStack): number {
  const texture = (quads.find(({ side }) => side === SIDES.up) ?? quads[0])?.texture;
  return texture === undefined ? WHITE : multiplied(stack.colourOf(texture.layer), texture.tint);
}
