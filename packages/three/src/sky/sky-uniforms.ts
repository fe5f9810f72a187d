import { Color, type DataTexture, type IUniform, Vector2, Vector3 } from "three";
import { CLOUD_CELLS, CLOUD_VOXELS, cloudTexture } from "./clouds.ts";

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
  readonly clouds: IUniform<DataTexture>;
  /** The layer of clouds from the eye: its height above it, and on the other axes where in the texture the eye is. */
  readonly cloudsFrom: IUniform<Vector3>;
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
    clouds: { value: cloudTexture() },
    cloudsFrom: { value: new Vector3(0, 100, 0) },
  };
}

/**
 * For fragment shaders that have these uniforms. In linear colours, before tone mapping:
 * - `vec3 skyTowards(vec3 direction)`: the sky without sun, stars and clouds.
 * - `float cloudShade(vec3 fromEye)`: the light that clouds let through to a surface at this vector from the eye, from 0.9 to 1.
 * - `vec3 throughAir(vec3 colour, vec3 fromEye)`: what a surface at this vector from the eye looks like through fog or water.
 */
export const SKY_GLSL: string = /* glsl */ `
uniform vec3 zenith;
uniform vec3 horizon;
uniform vec3 sunDirection;
uniform vec3 sunColour;
uniform vec3 skyLight;
uniform float time;
uniform vec2 fog;
uniform float underWater;
uniform sampler2D clouds;
uniform vec3 cloudsFrom;

vec3 skyTowards(vec3 direction) {
  float height = max(direction.y, 0.0);
  vec3 air = mix(horizon, zenith, 1.0 - pow(1.0 - height, 3.2));
  float toSun = max(dot(direction, sunDirection), 0.0);
  float sunHeight = sunDirection.y;
  // Dawn and dusk burn on one side only; the other one is already, or still, cool.
  float twilight = smoothstep(-0.22, -0.02, sunHeight) * (1.0 - smoothstep(0.05, 0.36, sunHeight));
  float side = 0.5 - 0.5 * dot(normalize(direction.xz + vec2(1e-5)), normalize(sunDirection.xz + vec2(1e-5)));
  air = mix(air, mix(horizon, zenith, 0.86), twilight * side * 0.92 * (1.0 - height));
  float glow = smoothstep(-0.2, 0.02, sunHeight);
  air += sunColour * glow * (0.10 * pow(toSun, 6.0) + 0.22 * pow(toSun, 48.0)) * (1.0 - 0.5 * height);
  vec3 water = vec3(0.03, 0.16, 0.22) * (0.12 + skyLight) * (0.75 + 0.5 * direction.y);
  return mix(air, water, underWater);
}

// Cells are flat, and blend into the next one at their edges only.
float cloudsAt(vec3 fromEye) {
  vec2 cell = (cloudsFrom.xz + fromEye.xz) / ${CLOUD_VOXELS}.0 - 0.5;
  vec2 within = fract(cell);
  vec2 place = floor(cell) + 0.5 + smoothstep(0.32, 0.68, within);
  return texture2D(clouds, place / ${CLOUD_CELLS}.0).r;
}

float cloudShade(vec3 fromEye) {
  float up = cloudsFrom.y - fromEye.y;
  if (up < 0.0 || sunDirection.y < 0.05) return 1.0;
  vec3 towardsSun = sunDirection * min(up / sunDirection.y, 400.0);
  return 1.0 - 0.1 * cloudsAt(fromEye + towardsSun) * smoothstep(0.05, 0.3, sunDirection.y);
}

vec3 throughAir(vec3 colour, vec3 fromEye) {
  float far = length(fromEye);
  vec3 direction = fromEye / max(far, 1e-4);
  // A little less towards the sun, which shines through the haze.
  float toSun = max(dot(direction, sunDirection), 0.0);
  float share = clamp((far - fog.x) / max(fog.y - fog.x, 1e-3), 0.0, 1.0);
  share *= 1.0 - 0.12 * pow(toSun, 8.0) * (1.0 - share);
  // Water takes red first, and is never quite clear.
  colour *= mix(vec3(1.0), vec3(0.55, 0.86, 1.0), underWater);
  share = mix(share, 1.0 - exp(-0.045 * far), underWater);
  return mix(colour, skyTowards(direction), share);
}
`;
