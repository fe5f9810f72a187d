/**
 * How blocks are drawn: textures, models and look packs.
 *
 * @module @orthant/mesh/looks
 */

export type {
  BlockLook,
  BlockLooks,
  DrawPass,
  FaceTexture,
  ModelQuad,
  TextureLayers,
} from "./block-looks.ts";
export { defaultLooks } from "./default/default-looks.ts";
export { joinLooks } from "./join-looks.ts";
export type { LookPack } from "./look-pack.ts";
export { looksOf, plainLooks } from "./looks-of.ts";
export { readResourcePack } from "./minecraft/read-resource-pack.ts";
export { MODELS, type Model, type ModelName } from "./models/models.ts";
export type { Faces } from "./models/quads.ts";
export type { LookProblem } from "./pack/look-problems.ts";
export { checkLooks, type LookPictures, parseLooks } from "./pack/parse-looks.ts";
export { readPng } from "./png/read-png.ts";
export type { TexturePicture } from "./texture-stack.ts";
