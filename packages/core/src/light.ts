/**
 * The light of voxels: how much of the sky's, and of that of blocks, reaches each.
 *
 * @module @orthant/core/light
 */

export { LightField } from "./light/light-field.ts";
export {
  chunksInLightReach,
  LIGHT_MAX,
  LIGHT_REACH_VOXELS,
  type Light,
  LightRules,
  lightOfByte,
  SKY_SHIFT,
} from "./light/light-rules.ts";
export type { LitWorld } from "./light/lit-world.ts";
export { LitState, overridesAbove } from "./state/lit-state.ts";
