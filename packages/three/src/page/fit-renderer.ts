import type { PerspectiveCamera, WebGLRenderer } from "three";

/** Pixels of the canvas for each pixel of the page, at most. More cost much and are hardly visible. */
export const PIXEL_RATIO_MAX = 2;

/** What is fitted; a `WebGLRenderer` has it. */
type FittedRenderer = Pick<WebGLRenderer, "domElement" | "getPixelRatio" | "setPixelRatio" | "setSize">;

/**
 * Fits a renderer and a camera to the size that the page gives the canvas. Call it before each frame; it does nothing while
 * the size stays. Returns whether it changed.
 *
 * @example
 * renderer.setAnimationLoop(() => {
 *   fitRenderer(renderer, camera);
 *   renderer.render(scene, camera);
 * });
 */
export function fitRenderer(
  renderer: FittedRenderer,
  camera: PerspectiveCamera,
  pixelRatioMax: number = PIXEL_RATIO_MAX,
): boolean {
  const canvas = renderer.domElement;
  const { clientWidth, clientHeight } = canvas;
  if (clientWidth === 0 || clientHeight === 0) return false; // hidden
  const ratio = Math.min(devicePixelRatio, pixelRatioMax);
  const isFitted =
    renderer.getPixelRatio() === ratio &&
    canvas.width === Math.floor(clientWidth * ratio) &&
    canvas.height === Math.floor(clientHeight * ratio);
  if (isFitted) return false;
  renderer.setPixelRatio(ratio);
  renderer.setSize(clientWidth, clientHeight, false);
  camera.aspect = clientWidth / clientHeight;
  camera.updateProjectionMatrix();
  return true;
}
