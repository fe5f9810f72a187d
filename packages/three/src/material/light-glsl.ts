import { LEVELS_GLSL } from "../sky/light-levels.ts";

/**
 * `vec3 lightOnQuad()`: the light on a pixel of a quad, by the light of the sky and of blocks, how open its corners are, and
 * the side that it lies on. Expects the inputs of quads and the uniforms of the sky.
 */
export const LIGHT_GLSL: string = /* glsl */ `
${LEVELS_GLSL}
uniform vec3 lampLight;
uniform float darkest;

/** At most 4 %, slowly, and not everywhere at the same time. */
float flicker(vec3 at) {
  float moment = time * 2.3 + dot(at, vec3(0.31, 0.53, 0.27));
  return 0.98 + 0.02 * sin(moment) * sin(moment * 1.73 + 1.1);
}

vec3 lightOnQuad() {
  if (isGlowing == 1) return vec3(1.12);
  vec3 lamps = lampLight * lightOfLevel(lights.y) * flicker(vec3(section & 1023) + cell);
  vec3 light = softened(mix(skyLight * lightOfLevel(lights.x) + lamps, vec3(1.0), darkest));
  // Shades are as eyes see them, and light is linear.
  return light * pow(open * sideLight(normalize(facing)), 2.2);
}
`;

/** `vec4 water(vec4 colour, vec3 light)`: what water of a colour looks like, with the sky in it by angle. */
export const WATER_GLSL = /* glsl */ `
/** A noise of -1 to 1, whose slopes are the second and third number. */
vec3 slopedNoise(vec2 at) {
  ivec2 cellAt = ivec2(floor(at));
  vec2 part = fract(at);
  vec2 smoothly = part * part * (3.0 - 2.0 * part);
  vec2 slope = 6.0 * part * (1.0 - part);
  vec4 corners = vec4(
    hashOf(ivec3(cellAt, 7)), hashOf(ivec3(cellAt + ivec2(1, 0), 7)),
    hashOf(ivec3(cellAt + ivec2(0, 1), 7)), hashOf(ivec3(cellAt + ivec2(1, 1), 7))
  ) * (2.0 / 4294967295.0) - 1.0;
  vec3 by = vec3(corners.y - corners.x, corners.z - corners.x, corners.x - corners.y - corners.z + corners.w);
  return vec3(
    corners.x + by.x * smoothly.x + by.y * smoothly.y + by.z * smoothly.x * smoothly.y,
    slope * (by.xy + by.z * smoothly.yx)
  );
}

vec4 water(vec4 colour, vec3 light) {
  float far = length(fromEye);
  vec3 towards = fromEye / far;
  vec3 normal = normalize(facing);
  vec3 body = colour.rgb * light;
  if (side == 2) {
    vec2 at = (vec3(section & 4095) + cell).xz;
    vec3 wide = slopedNoise(at * 0.43 + vec2(0.31, 0.22) * time);
    vec3 fine = slopedNoise(at * 1.27 + vec2(-0.38, 0.47) * time);
    // Far waves are smaller than a pixel.
    float calm = 1.0 / (1.0 + far * 0.04);
    vec2 slope = (wide.yz * 0.10 + fine.yz * 0.06) * calm;
    normal = normalize(normal + vec3(-slope.x, 0.0, -slope.y));
    body *= 1.0 + 0.07 * (wide.x + 0.6 * fine.x) * calm;
  }
  if (dot(towards, normal) > 0.0) return vec4(body, 0.55);
  float angle = 1.0 - max(dot(-towards, normal), 0.0);
  float mirrored = (0.03 + 0.97 * pow(angle, 5.0)) * lightOfLevel(lights.x);
  vec3 direction = reflect(towards, normal);
  direction.y = abs(direction.y);
  vec3 above = skyTowards(direction);
  above += sunColour * 1.6 * pow(max(dot(direction, sunDirection), 0.0), 220.0) * step(0.0, sunDirection.y);
  float opacity = mix(0.58, 0.94, angle * angle);
  float all = mix(opacity, 1.0, mirrored);
  return vec4(mix(body * opacity, above, mirrored) / all, all);
}
`;
