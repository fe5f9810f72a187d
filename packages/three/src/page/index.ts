/**
 * Parts of a page around a world in three.js.
 *
 * @module @orthant/three/page
 */

export { fitRenderer, PIXEL_RATIO_MAX } from "./fit-renderer.ts";
