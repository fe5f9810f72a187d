import {
  type Color,
  DoubleSide,
  FrontSide,
  type IUniform,
  type Material,
  ShaderMaterial,
  type Texture,
} from "three";
import { SKY_GLSL, type SkyUniforms } from "../sky/sky-uniforms.ts";
import { LIGHT_GLSL, WATER_GLSL } from "./light-glsl.ts";
import { QUAD_VERTEX_GLSL, TEXTURE_GLSL } from "./quad-glsl.ts";

/** How a part of a world is drawn: whole, with holes such as leaves, mixed with what lies behind it, or as water. */
export type MaterialKind = "opaque" | "cutout" | "blended" | "water";

/** All kinds, in the order in which they are drawn. */
export const MATERIAL_KINDS: readonly MaterialKind[] = ["opaque", "cutout", "blended", "water"];

/** What the material of a kind is made of: options of a `ShaderMaterial`. Materials of your own share the uniforms. */
export interface MaterialDefaults {
  /** Shared by all materials of a view, which keeps them up to date. */
  readonly uniforms: Readonly<Record<string, IUniform>>;
  readonly defines: Readonly<Record<string, string>>;
  /** Makes the corners of quads. */
  readonly vertexShader: string;
  readonly fragmentShader: string;
  /** Parts of the fragment shader, for one of your own: `textureOfQuad()`, the sky and its air, `lightOnQuad()`, `water()`. */
  readonly glsl: Readonly<Record<"texture" | "sky" | "light" | "water", string>>;
  readonly side: typeof FrontSide | typeof DoubleSide;
  readonly transparent: boolean;
  readonly depthWrite: boolean;
}

/** Returns the material of a kind. */
export type MakeMaterial = (kind: MaterialKind, defaults: MaterialDefaults) => Material;

/** Uniforms of a view's own, besides those of the sky. */
export interface VoxelUniforms {
  readonly textures: IUniform<Texture>;
  readonly materials: IUniform<Texture>;
  readonly templates: IUniform<Texture>;
  readonly lampLight: IUniform<Color>;
  readonly darkest: IUniform<number>;
}

const FRAGMENT = /* glsl */ `
${TEXTURE_GLSL}
${SKY_GLSL}
${LIGHT_GLSL}
#ifdef IS_WATER
${WATER_GLSL}
#endif

void main() {
  vec4 colour = textureOfQuad();
  #ifdef IS_CUTOUT
  // Far leaves are opaque; plants, which are models, stay cut out.
  float far = isModel == 1 ? 0.0 : smoothstep(40.0, 64.0, length(fromEye));
  if (colour.a < mix(0.5, -0.1, far)) discard;
  colour.rgb *= mix(0.72, 1.0, max(colour.a, 1.0 - far));
  colour.a = 1.0;
  #endif
  vec3 light = lightOnQuad();
  #ifdef IS_WATER
  colour = water(colour, light);
  #else
  colour.rgb *= light;
  #endif
  gl_FragColor = vec4(throughAir(colour.rgb, fromEye), colour.a);
  #include <tonemapping_fragment>
  #include <colorspace_fragment>
}
`;

/** Returns the materials of all kinds. */
export function voxelMaterials(
  uniforms: VoxelUniforms & SkyUniforms,
  make: MakeMaterial = (_kind, { glsl: _glsl, ...defaults }) => new ShaderMaterial(defaults),
): Readonly<Record<MaterialKind, Material>> {
  const materialOf = (kind: MaterialKind): Material => make(kind, defaultsOf(kind, { ...uniforms }));
  return {
    opaque: materialOf("opaque"),
    cutout: materialOf("cutout"),
    blended: materialOf("blended"),
    water: materialOf("water"),
  };
}

function defaultsOf(kind: MaterialKind, uniforms: MaterialDefaults["uniforms"]): MaterialDefaults {
  const isSolid = kind === "opaque" || kind === "cutout";
  return {
    uniforms,
    defines: {
      ...(isSolid && { IS_SOLID: "" }),
      ...(kind === "cutout" && { IS_CUTOUT: "" }),
      ...(kind === "water" && { IS_WATER: "" }),
    },
    vertexShader: QUAD_VERTEX_GLSL,
    fragmentShader: FRAGMENT,
    glsl: { texture: TEXTURE_GLSL, sky: SKY_GLSL, light: LIGHT_GLSL, water: WATER_GLSL },
    // The surface of water is seen from below, too.
    side: kind === "water" ? DoubleSide : FrontSide,
    transparent: !isSolid,
    depthWrite: isSolid,
  };
}
