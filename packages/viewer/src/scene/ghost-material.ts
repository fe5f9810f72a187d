import type { MakeMaterial } from "@orthant/three";
import { Color, ShaderMaterial } from "three";

/** Colours of what lies beside the slice: cool before it on the hidden axis, warm behind it. */
export const GHOST_COLOURS: Readonly<Record<"before" | "behind", Color>> = {
  before: new Color(0x58_b2_ff),
  behind: new Color(0xff_a4_4a),
};

const FRAGMENT = /* glsl */ `
uniform vec3 ghost;

void main() {
  if (textureOfQuad().a < 0.5) discard;
  vec3 normal = normalize(cross(dFdx(fromEye), dFdy(fromEye)));
  float facing = abs(dot(normal, normalize(fromEye)));
  float near = 1.0 - smoothstep(fog.x * 0.7, fog.y, length(fromEye));
  gl_FragColor = vec4(ghost * mix(0.75, 1.0, facing), 0.22 * near);
  #include <colorspace_fragment>
}
`;

/**
 * Returns the materials of a view of a slice beside the shown one. It shows through only where it is in front of what is
 * shown: faces that both have stay quiet, because those of the ghost lie a little behind.
 */
export function ghostMaterial(colour: Color): MakeMaterial {
  return (kind, { glsl, fragmentShader: _fragment, uniforms, ...defaults }) =>
    new ShaderMaterial({
      ...defaults,
      uniforms: { ...uniforms, ghost: { value: colour } },
      fragmentShader: `${glsl.texture}\n${glsl.sky}\n${FRAGMENT}`,
      visible: kind === "opaque" || kind === "cutout",
      transparent: true,
      depthWrite: false,
      polygonOffset: true,
      polygonOffsetFactor: 2,
      polygonOffsetUnits: 4,
    });
}
