/**
 * A world in a scene of three.js.
 *
 * @module @orthant/three
 */

export { Figures, type FiguresOptions, type FiguresWorld, type MakeFigure } from "./figures/figures.ts";
export { type MarkedWorld, Marks, type MarksOptions } from "./marks/marks.ts";
export type {
  MakeMaterial,
  MaterialDefaults,
  MaterialKind,
} from "./material/voxel-materials.ts";
export { Sky, type SkyOptions } from "./sky/sky.ts";
export { type SkyColours, skyColours } from "./sky/sky-colours.ts";
export { SKY_GLSL, type SkyUniforms, skyUniforms } from "./sky/sky-uniforms.ts";
export type { Picked, PickRay } from "./view/pick.ts";
export type { ViewedChunks, ViewedClient, ViewedLocal, ViewedWorld } from "./view/world-feed.ts";
export { type ViewSky, WorldView, type WorldViewOptions, type WorldViewStats } from "./view/world-view.ts";
