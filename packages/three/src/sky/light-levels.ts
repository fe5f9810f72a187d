import { Color } from "three";

/** The light of lamps: warm, and brighter than the day where it is nearest, so that a torch makes a room. */
export const LAMP_LIGHT: Color = new Color().setRGB(1.9, 1.33, 0.78);

/**
 * Light by its levels, for shaders with the uniforms of the sky: `float lightOfLevel(float level)`,
 * `float sideLight(vec3 direction)`, `vec3 softened(vec3 light)`, and for what is not a part of the world
 * `vec3 lightAt(vec2 levels, float least)`.
 */
export const LEVELS_GLSL: string = /* glsl */ `
/** Light in the linear colours of a picture from a level of 0 to 1. */
float lightOfLevel(float level) {
  return level / (4.0 - 3.0 * level);
}

/** How bright a side is that looks in a direction, as eyes see it. */
float sideLight(vec3 direction) {
  vec3 part = direction * direction;
  return part.x * 0.74 + part.z * 0.86 + part.y * (direction.y > 0.0 ? 1.0 : 0.55);
}

/** Light above that of the day grows ever slower, and keeps its colour. */
vec3 softened(vec3 light) {
  float most = max(light.r, max(light.g, light.b));
  if (most <= 0.8) return light;
  return light * ((0.8 + 0.35 * (1.0 - exp((0.8 - most) / 0.35))) / most);
}

/** The light of the sky and of lamps, by their levels of 0 to 1, and at least so much. */
vec3 lightAt(vec2 levels, float least) {
  vec3 lamps = vec3(${LAMP_LIGHT.toArray()}) * lightOfLevel(levels.y);
  return softened(mix(skyLight * lightOfLevel(levels.x) + lamps, vec3(1.0), least));
}
`;
