import { Color, ColorManagement, DoubleSide, FrontSide, GLSL3, ShaderMaterial, Vector2 } from "three";
import type { MaterialTexture } from "./material-texture.ts";

// The shaders read and write colours as catalogs and screens have them.
ColorManagement.enabled = false;

/** Colours of the sky: above, at the horizon, and below it. Distant mesh blocks fade into them. */
const SKY = {
  zenith: new Color(0x23_2f_4d),
  horizon: new Color(0x86_99_ba),
  ground: new Color(0x56_65_84),
} as const;

/** Everywhere on the page, a slice before this one on the hidden axis is cool, and one behind it warm. */
const NEIGHBOUR_COLOURS = { before: new Color(0x6c_b8_ff), behind: new Color(0xff_b0_66) } as const;

const SKY_FUNCTION = /* glsl */ `
  uniform vec3 zenith;
  uniform vec3 horizon;
  uniform vec3 ground;
  vec3 skyTowards(vec3 direction) {
    float height = direction.y;
    return height > 0.0
      ? mix(horizon, zenith, smoothstep(0.0, 0.65, height))
      : mix(horizon, ground, smoothstep(0.0, 0.5, -height));
  }
`;

/** How far quads reach over their edges, as a share of their distance: less than a tenth of a pixel. */
const REACH = 0.0001;

/** Makes the corners of a quad as docs/reference/mesh.md says. They reach over their edges, so that no sky shows between them. */
const VOXEL_VERTEX = /* glsl */ `
  in uvec4 quad;
  uniform highp usampler2D materials;
  uniform vec4 ghost;
  out vec3 cell;
  out vec3 toPoint;
  out vec4 tint;
  out float light;
  flat out int side;
  flat out int glows;
  const vec3 RIGHT[6] = vec3[6](vec3(0, 0, -1), vec3(0, 0, 1), vec3(1, 0, 0), vec3(1, 0, 0), vec3(1, 0, 0), vec3(-1, 0, 0));
  const vec3 UP[6] = vec3[6](vec3(0, 1, 0), vec3(0, 1, 0), vec3(0, 0, -1), vec3(0, 0, 1), vec3(0, 1, 0), vec3(0, 1, 0));
  vec4 bytesOf(uint word) {
    return vec4(word & 255u, (word >> 8) & 255u, (word >> 16) & 255u, word >> 24);
  }
  void main() {
    side = int((quad.x >> 24) & 7u);
    int corner = (gl_VertexID + int((quad.x >> 28) & 1u)) & 3;
    glows = int((quad.x >> 30) & 1u);
    light = float((quad.y >> uint(16 + corner * 2)) & 3u) / 3.0;
    uint material = quad.z & 0xffffu;
    tint = bytesOf(texelFetch(materials, ivec2(material & 255u, material >> 8), 0).y).zyxw / 255.0;
    vec3 right = RIGHT[side];
    vec3 up = UP[side];
    vec2 size = bytesOf(quad.y).xy + 1.0;
    vec2 place = vec2(corner == 1 || corner == 2 ? 1.0 : 0.0, corner >= 2 ? 1.0 : 0.0);
    vec3 outwards = (side & 1) == 0 ? abs(cross(right, up)) : vec3(0);
    // Where an edge goes towards lesser coordinates, it begins at the other end of the quad.
    vec3 across = right * (place.x * size.x) + max(-right, vec3(0)) * size.x;
    vec3 upwards = up * (place.y * size.y) + max(-up, vec3(0)) * size.y;
    cell = bytesOf(quad.x).xyz + outwards + across + upwards;
    vec4 seen = modelViewMatrix * vec4(cell, 1.0);
    toPoint = (inverse(mat3(viewMatrix))) * seen.xyz;
    bool isOpaque = tint.a == 1.0 && ghost.a == 0.0;
    vec2 reach = isOpaque ? (place * 2.0 - 1.0) * (length(seen.xyz) * ${REACH}) : vec2(0);
    gl_Position = projectionMatrix * (seen + modelViewMatrix * vec4(right * reach.x + up * reach.y, 0.0));
  }
`;

/** Light from above, softer from the sides; darker in corners; a hint of each voxel's edges; fog. */
const VOXEL_FRAGMENT = /* glsl */ `
  in vec3 cell;
  in vec3 toPoint;
  in vec4 tint;
  in float light;
  flat in int side;
  flat in int glows;
  out vec4 painted;
  uniform vec2 fog;
  uniform float presence;
  uniform vec4 ghost;
  ${SKY_FUNCTION}

  float grain(vec3 at) {
    return fract(sin(dot(at, vec3(12.9898, 78.233, 37.719))) * 43758.5453);
  }

  float screenGrain(vec2 at) {
    return fract(52.9829189 * fract(dot(at, vec2(0.06711056, 0.00583715))));
  }

  void main() {
    if (presence < 1.0 && screenGrain(gl_FragCoord.xy) >= presence) discard;
    int axis = side >> 1;
    float outward = (side & 1) == 0 ? 1.0 : -1.0;
    vec3 normal = axis == 0 ? vec3(outward, 0, 0) : axis == 1 ? vec3(0, outward, 0) : vec3(0, 0, outward);
    vec3 inside = floor(cell - normal * 0.5);
    float sun = max(0.0, dot(normal, normalize(vec3(0.42, 0.72, 0.55))));
    float sky = 0.5 + 0.5 * normal.y;
    vec3 ambient = mix(vec3(0.46, 0.45, 0.52), vec3(0.70, 0.75, 0.86), sky);
    float open = mix(0.42, 1.0, light);
    vec3 lit = ambient * open + vec3(0.44, 0.38, 0.28) * sun * mix(0.7, 1.0, light);
    if (glows == 1) lit = vec3(1.12);
    vec3 base = tint.rgb * (0.965 + 0.07 * grain(inside));

    // A thin line where voxels meet, where they are large enough to have one.
    vec2 flatCell = axis == 0 ? cell.yz : axis == 1 ? cell.xz : cell.xy;
    vec2 width = fwidth(flatCell);
    vec2 toEdge = min(fract(flatCell), 1.0 - fract(flatCell));
    vec2 line = 1.0 - smoothstep(width * 0.6, width * 1.6, toEdge);
    float isLarge = 1.0 - smoothstep(0.04, 0.16, max(width.x, width.y));
    float edge = max(line.x, line.y) * isLarge;

    float distance = length(toPoint);
    float haze = smoothstep(fog.x, fog.y, distance);
    vec3 air = skyTowards(toPoint / distance);
    if (ghost.a > 0.0) {
      float share = ghost.a * (0.55 + 1.1 * edge) * (1.0 - haze) * (1.0 - smoothstep(24.0, 56.0, distance));
      painted = vec4(mix(ghost.rgb, tint.rgb, 0.25) * mix(0.75, 1.0, open), share * presence);
      return;
    }
    vec3 shown = base * lit * (1.0 - 0.10 * edge);
    painted = vec4(mix(shown, air, haze), mix(tint.a, 1.0, haze));
  }
`;

const SKY_VERTEX = /* glsl */ `
  out vec3 direction;
  void main() {
    direction = position;
    vec4 seen = projectionMatrix * vec4(mat3(viewMatrix) * position, 1.0);
    gl_Position = seen.xyww;
  }
`;

const SKY_FRAGMENT = /* glsl */ `
  in vec3 direction;
  out vec4 painted;
  ${SKY_FUNCTION}
  void main() {
    painted = vec4(skyTowards(normalize(direction)), 1.0);
  }
`;

/** The shader materials of one slice, which all fade together. */
export class SliceMaterials {
  readonly opaque: ShaderMaterial;
  readonly transparent: ShaderMaterial;
  readonly before: ShaderMaterial;
  readonly behind: ShaderMaterial;

  constructor(table: MaterialTexture) {
    this.opaque = voxelMaterial("opaque", table);
    this.transparent = voxelMaterial("transparent", table);
    this.before = voxelMaterial("ghost", table, NEIGHBOUR_COLOURS.before);
    this.behind = voxelMaterial("ghost", table, NEIGHBOUR_COLOURS.behind);
  }

  /** Sets the distances where fog begins and ends, in voxels. */
  setFog(from: number, to: number): void {
    for (const material of this.#all) setUniform(material, "fog", new Vector2(from, to));
  }

  /** Sets the visibility of the slice, from 0 to 1. */
  setPresence(presence: number): void {
    for (const material of this.#all) setUniform(material, "presence", presence);
  }

  dispose(): void {
    for (const material of this.#all) material.dispose();
  }

  get #all(): readonly ShaderMaterial[] {
    return [this.opaque, this.transparent, this.before, this.behind];
  }
}

function setUniform({ uniforms }: ShaderMaterial, name: string, value: unknown): void {
  const uniform = uniforms[name];
  if (uniform !== undefined) uniform.value = value;
}

/** Returns the material of the sky, behind everything else. */
export function skyMaterial(): ShaderMaterial {
  return new ShaderMaterial({
    glslVersion: GLSL3,
    vertexShader: SKY_VERTEX,
    fragmentShader: SKY_FRAGMENT,
    uniforms: skyUniforms(),
    side: DoubleSide,
    depthWrite: false,
  });
}

function voxelMaterial(
  kind: "opaque" | "transparent" | "ghost",
  table: MaterialTexture,
  colour?: Color,
): ShaderMaterial {
  return new ShaderMaterial({
    glslVersion: GLSL3,
    vertexShader: VOXEL_VERTEX,
    fragmentShader: VOXEL_FRAGMENT,
    uniforms: {
      ...skyUniforms(),
      fog: { value: new Vector2(60, 120) },
      presence: { value: 1 },
      materials: table.uniform,
      ghost: { value: colour === undefined ? [0, 0, 0, 0] : [colour.r, colour.g, colour.b, 0.2] },
    },
    side: kind === "transparent" ? DoubleSide : FrontSide,
    transparent: kind !== "opaque",
    depthWrite: kind === "opaque",
  });
}

function skyUniforms(): Record<string, { readonly value: Color }> {
  return { zenith: { value: SKY.zenith }, horizon: { value: SKY.horizon }, ground: { value: SKY.ground } };
}
