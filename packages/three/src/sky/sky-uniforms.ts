import { Color, type IUniform, Vector2, Vector3 } from "three";

/**
 * What every shader under one sky reads, so that the ground fades into the very colours of the dome. One `Sky` writes it;
 * materials share the objects: `uniforms: { ...sky.uniforms }`. Colours are linear.
 */
export interface SkyUniforms {
  readonly zenith: IUniform<Color>;
  readonly horizon: IUniform<Color>;
  /** Unit vector towards the sun, which is under the ground at night. */
  readonly sunDirection: IUniform<Vector3>;
  readonly sunColour: IUniform<Color>;
  /** Light of the sky on a surface that sees all of it. */
  readonly skyLight: IUniform<Color>;
  /** Seconds, for whatever moves: clouds, water, flames. */
  readonly time: IUniform<number>;
  /** Distances in voxels at which fog begins, and at which nothing else is visible. */
  readonly fog: IUniform<Vector2>;
  /** 1 while the eyes are under water, else 0. */
  readonly underWater: IUniform<number>;
}

/**
 * Creates uniforms for one sky.
 *
 * @example
 * const material = new ShaderMaterial({ uniforms: { ...skyUniforms() } });
 */
export function skyUniforms(): SkyUniforms {
  return {
    zenith: { value: new Color(0x4f_8f_d6) },
    horizon: { value: new Color(0xbc_dc_f2) },
    sunDirection: { value: new Vector3(0, 1, 0) },
    sunColour: { value: new Color(0xff_f6_df) },
    skyLight: { value: new Color().setRGB(1, 0.99, 0.96) },
    time: { value: 0 },
    fog: { value: new Vector2(128 * 0.55, 128 * 0.95) },
    underWater: { value: 0 },
  };
}

/**
 * For fragment shaders that have these uniforms. In linear colours, before tone mapping:
 * - `vec3 skyTowards(vec3 direction)`: the sky without sun, stars and clouds.
 * - `vec3 throughAir(vec3 colour, vec3 fromEye)`: what a surface at this vector from the eye looks like through fog or water.
 */
export const SKY_GLSL = /* glsl */ `
uniform vec3 zenith;
uniform vec3 horizon;
uniform vec3 sunDirection;
uniform vec3 sunColour;
uniform vec3 skyLight;
uniform float time;
uniform vec2 fog;
uniform float underWater;

vec3 skyTowards(vec3 direction) {
  float height = max(direction.y, 0.0);
  vec3 air = mix(horizon, zenith, 1.0 - pow(1.0 - height, 2.6));
  float toSun = max(dot(direction, sunDirection), 0.0);
  float sunHeight = sunDirection.y;
  // Dawn and dusk burn on one side only; the other one is already, or still, cool.
  float twilight = smoothstep(-0.22, -0.02, sunHeight) * (1.0 - smoothstep(0.05, 0.36, sunHeight));
  float side = 0.5 - 0.5 * dot(normalize(direction.xz + vec2(1e-5)), normalize(sunDirection.xz + vec2(1e-5)));
  air = mix(air, mix(horizon, zenith, 0.72), twilight * side * 0.75 * (1.0 - height));
  float glow = smoothstep(-0.2, 0.02, sunHeight);
  air += sunColour * glow * (0.10 * pow(toSun, 6.0) + 0.22 * pow(toSun, 48.0)) * (1.0 - 0.5 * height);
  vec3 water = vec3(0.03, 0.16, 0.22) * (0.12 + skyLight) * (0.75 + 0.5 * direction.y);
  return mix(air, water, underWater);
}

vec3 throughAir(vec3 colour, vec3 fromEye) {
  float far = length(fromEye);
  vec2 reach = mix(fog, vec2(1.0, 26.0), underWater);
  // A little less towards the sun, which shines through the haze.
  vec3 direction = fromEye / max(far, 1e-4);
  float toSun = max(dot(direction, sunDirection), 0.0);
  float share = clamp((far - reach.x) / max(reach.y - reach.x, 1e-3), 0.0, 1.0);
  share *= 1.0 - 0.12 * pow(toSun, 8.0) * (1.0 - share);
  return mix(colour, skyTowards(direction), share);
}
`;
