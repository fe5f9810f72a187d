/**
 * A world in a scene of three.js.
 *
 * @module @orthant/three
 */

export { Sky, type SkyOptions } from "./sky/sky.ts";
export { type SkyColours, skyColours } from "./sky/sky-colours.ts";
export { SKY_GLSL, type SkyUniforms, skyUniforms } from "./sky/sky-uniforms.ts";
