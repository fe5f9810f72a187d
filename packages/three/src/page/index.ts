/**
 * Parts of a page around a world in three.js.
 *
 * @module @orthant/three/page
 */

export { blockPicture } from "./block-picture.ts";
export type { ControlOptions, Controls, ScreenPoint } from "./controls.ts";
export { fitRenderer, PIXEL_RATIO_MAX } from "./fit-renderer.ts";
export { GamePage, type GamePageOptions, type Play, type PlayedWorld } from "./game-page.ts";
export type { GameSettings, SettingName, Settings } from "./game-settings.ts";
export type { Hotbar } from "./hotbar.ts";
export type { KeyAction, KeyBindings } from "./key-bindings.ts";
export type { SoundMaterial } from "./materials.ts";
export type { Slider } from "./pause-menu.ts";
export type { SoundKind, Sounds, Surroundings } from "./sounds.ts";
export {
  type WalkedWorld,
  type WalkInput,
  type Walking,
  type WalkOptions,
  type WalkState,
  walking,
} from "./walking.ts";
