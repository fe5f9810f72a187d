import { Color, type IUniform, ShaderMaterial, Vector2 } from "three";
import { LEVELS_GLSL } from "../sky/light-levels.ts";
import { SKY_GLSL, type SkyUniforms } from "../sky/sky-uniforms.ts";

/** Which colour a part has: the first or second of its figure, or that of eyes. */
export const PART_COLOURS = { first: 0, second: 1, eyes: 2 } as const;

const VERTEX = /* glsl */ `
attribute float part;
varying float ofPart;
varying vec3 fromEye;
varying vec3 facing;
void main() {
  vec4 place = modelMatrix * vec4(position, 1.0);
  ofPart = part;
  fromEye = place.xyz - cameraPosition;
  facing = mat3(modelMatrix) * normal;
  gl_Position = projectionMatrix * viewMatrix * place;
}`;

const FRAGMENT = /* glsl */ `
varying float ofPart;
varying vec3 fromEye;
varying vec3 facing;
uniform vec3 first;
uniform vec3 second;
uniform vec2 lights;
${SKY_GLSL}
${LEVELS_GLSL}
void main() {
  vec3 colour = ofPart < 0.5 ? first : ofPart < 1.5 ? second : vec3(0.012, 0.014, 0.02);
  vec3 light = lightAt(lights, 0.04) * pow(sideLight(normalize(facing)), 2.2);
  gl_FragColor = vec4(throughAir(colour * light, fromEye), 1.0);
  #include <tonemapping_fragment>
  #include <colorspace_fragment>
}`;

/** What figures under one sky share, and what one figure has of its own. */
export interface FigureUniforms {
  readonly [name: string]: IUniform;
  readonly first: IUniform<Color>;
  readonly second: IUniform<Color>;
  /** Light of the sky and of blocks where the figure is, from 0 to 1. */
  readonly lights: IUniform<Vector2>;
}

/** Returns the material of one figure in two colours that follow from `seed`, under a sky. */
export function figureMaterial(
  sky: SkyUniforms,
  seed: bigint,
): ShaderMaterial & { uniforms: FigureUniforms } {
  const [first, second] = figureColours(seed);
  const own = { first: { value: first }, second: { value: second }, lights: { value: new Vector2(1, 0) } };
  const uniforms: FigureUniforms = { ...sky, ...own };
  const material = new ShaderMaterial({
    name: "figure",
    uniforms,
    vertexShader: VERTEX,
    fragmentShader: FRAGMENT,
  });
  return Object.assign(material, { uniforms });
}

/** Two colours that differ clearly and belong to an id, the same on every page. */
function figureColours(seed: bigint): readonly [first: Color, second: Color] {
  let hash = Number(BigInt.asUintN(32, seed ^ (seed >> 32n)));
  hash = Math.imul(hash ^ (hash >>> 16), 0x45_d9_f3_b);
  hash = (hash ^ (hash >>> 16)) >>> 0;
  const hue = (hash % 24) / 24;
  const apart = 0.32 + (((hash >>> 8) % 8) / 8) * 0.36;
  return [new Color().setHSL(hue, 0.52, 0.56), new Color().setHSL((hue + apart) % 1, 0.34, 0.36)];
}
