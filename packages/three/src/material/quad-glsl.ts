/**
 * How far quads reach over their edges, as a share of their distance: a seventh of a pixel in a picture of 1,080 rows. Graphics
 * cards, and processors without one, place corners to a sixteenth.
 */
const REACH = "0.0002";
/** The cosine of the flattest angle for which quads reach as far in a picture as elsewhere. */
const FLATTEST = "0.01";

/**
 * The vertex shader: makes the corners of a quad as docs/reference/mesh.md says. Its outputs, for fragment shaders:
 * `fromEye`, the vector from the eye in world axes; `cell`, the place in its section; `inTexture`, the place in its texture
 * to the right and down; `lights`, of the sky and of blocks from 0 to 1; `open`, how little corners are shaded; `facing`; and
 * for all of a quad `tint`, linear, `section`, `voxel`, `texel`, `side`, `block`, `isGlowing` and `isModel`.
 */
export const QUAD_VERTEX_GLSL: string = /* glsl */ `
in uvec4 quad;
in ivec3 origin;
uniform highp usampler2D materials;
uniform highp sampler2D templates;
out vec3 fromEye;
out vec3 cell;
out vec2 inTexture;
out vec2 lights;
out float open;
out vec3 facing;
flat out vec4 tint;
flat out ivec3 section;
flat out ivec3 voxel;
flat out uint texel;
flat out int side;
flat out int block;
flat out int isGlowing;
flat out int isModel;

const vec3 RIGHT[6] = vec3[6](vec3(0, 0, -1), vec3(0, 0, 1), vec3(1, 0, 0), vec3(1, 0, 0), vec3(1, 0, 0), vec3(-1, 0, 0));
const vec3 UP[6] = vec3[6](vec3(0, 1, 0), vec3(0, 1, 0), vec3(0, 0, -1), vec3(0, 0, 1), vec3(0, 1, 0), vec3(0, 1, 0));
const float OPEN[4] = float[4](0.55, 0.72, 0.87, 1.0);
const float SUNKEN = 0.125;

vec3 linearOf(vec3 colour) {
  return mix(colour / 12.92, pow((colour + 0.055) / 1.055, vec3(2.4)), step(0.04045, colour));
}

void main() {
  int corner = (gl_VertexID + int((quad.x >> 28) & 1u)) & 3;
  uvec3 first = uvec3(quad.x & 255u, (quad.x >> 8) & 255u, (quad.x >> 16) & 255u);
  side = int((quad.x >> 24) & 7u);
  isModel = int((quad.x >> 27) & 1u);
  isGlowing = int((quad.x >> 30) & 1u);
  section = origin;
  voxel = origin + ivec3(first);
  block = int(quad.z >> 16);
  open = isGlowing == 1 ? 1.0 : OPEN[(quad.y >> uint(16 + corner * 2)) & 3u];
  uint level = (quad.w >> uint(corner * 8)) & 255u;
  lights = vec2(float(level >> 4), float(level & 15u)) / 15.0;
  uint number = quad.z & 0xffffu;
  uvec2 material = texelFetch(materials, ivec2(number & 255u, number >> 8), 0).xy;
  texel = material.x;
  tint = vec4((material.y >> 16) & 255u, (material.y >> 8) & 255u, material.y & 255u, material.y >> 24) / 255.0;
  tint.rgb = linearOf(tint.rgb);

  vec2 over = vec2(0);
  vec3 right = RIGHT[side];
  vec3 up = UP[side];
  if (isModel == 1) {
    uint face = quad.y & 0xffffu;
    ivec2 at = ivec2((face & 31u) * 8u + uint(corner * 2), face >> 5);
    vec4 one = texelFetch(templates, at, 0);
    vec4 two = texelFetch(templates, at + ivec2(1, 0), 0);
    cell = vec3(first) + one.xyz;
    inTexture = vec2(one.w, two.x);
    facing = two.yzw;
  } else {
    vec2 size = vec2(quad.y & 255u, (quad.y >> 8) & 255u) + 1.0;
    vec2 place = vec2(corner == 1 || corner == 2 ? 1.0 : 0.0, corner >= 2 ? 1.0 : 0.0);
    float outward = (side & 1) == 0 ? 1.0 : -1.0;
    facing = outward * abs(cross(right, up));
    // Where an edge goes towards lesser coordinates, it begins at the other end of the quad.
    cell = vec3(first) + max(facing, vec3(0)) + right * (place.x * size.x) + max(-right, vec3(0)) * size.x
      + up * (place.y * size.y) + max(-up, vec3(0)) * size.y;
    inTexture = vec2(place.x * size.x, (1.0 - place.y) * size.y);
    if (((quad.x >> 29) & 1u) == 1u && (side == 2 || place.y > 0.0)) {
      cell.y -= SUNKEN;
      if (side != 2) inTexture.y += SUNKEN;
    }
    over = place * 2.0 - 1.0;
  }
  vec4 seen = modelViewMatrix * vec4(cell, 1.0);
  fromEye = transpose(mat3(viewMatrix)) * seen.xyz;
  #ifdef IS_SOLID
  // The view may be scaled.
  mat3 turn = mat3(modelViewMatrix) / length(modelViewMatrix[0].xyz);
  float far = max(length(seen.xyz), 1e-6);
  vec3 sight = seen.xyz / far;
  right = turn * right;
  up = turn * up;
  // At a flat angle an edge moves less in the picture than in the plane of the quad.
  vec2 reach = vec2(length(cross(sight, up)), length(cross(sight, right)));
  reach *= far * ${REACH} / max(abs(dot(sight, turn * facing)), ${FLATTEST});
  seen.xyz += right * (over.x * reach.x) + up * (over.y * reach.y);
  #endif
  facing = mat3(modelMatrix) * facing;
  gl_Position = projectionMatrix * seen;
}
`;

/** What fragment shaders of quads read, and `vec4 textureOfQuad()`: the texture's colour, linear and tinted. */
export const TEXTURE_GLSL: string = /* glsl */ `
uniform highp sampler2DArray textures;
in vec3 fromEye;
in vec3 cell;
in vec2 inTexture;
in vec2 lights;
in float open;
in vec3 facing;
flat in vec4 tint;
flat in ivec3 section;
flat in ivec3 voxel;
flat in uint texel;
flat in int side;
flat in int block;
flat in int isGlowing;
flat in int isModel;

uint hashOf(ivec3 at) {
  uint hash = uint(at.x) * 0x9e3779b1u ^ uint(at.y) * 0x85ebca77u ^ uint(at.z) * 0xc2b2ae3du;
  hash = (hash ^ (hash >> 15)) * 0x2c1b3c6du;
  hash = (hash ^ (hash >> 12)) * 0x297a2d39u;
  return hash ^ (hash >> 15);
}

/** Which voxel of a quad a pixel belongs to, in voxels of the world. */
ivec3 voxelOfPixel() {
  if (isModel == 1) return voxel;
  vec3 outward = vec3(side >> 1 == 0, side >> 1 == 1, side >> 1 == 2) * ((side & 1) == 0 ? 0.5 : -0.5);
  return section + ivec3(floor(cell - outward));
}

/** Turns a place or a step in a texture by quarters. */
vec2 turned(vec2 at, uint turns) {
  if ((turns & 2u) == 2u) at = -at;
  return (turns & 1u) == 1u ? vec2(-at.y, at.x) : at;
}

vec4 textureOfQuad() {
  vec2 stepX = dFdx(inTexture);
  vec2 stepY = dFdy(inTexture);
  vec2 at = inTexture;
  float layer = float(texel & 0xffffu);
  uint variants = ((texel >> 16) & 15u) + 1u;
  uint turns = (texel >> 21) & 3u;
  bool isScattered = (texel & 0x100000u) != 0u;
  if (variants > 1u || isScattered) {
    uint hash = hashOf(voxelOfPixel());
    layer += float((hash >> 8) % variants);
    if (isScattered) turns += hash & 3u;
  }
  if (isModel == 0) at = fract(at);
  if (turns != 0u) {
    at = turned(at - 0.5, turns) + 0.5;
    stepX = turned(stepX, turns);
    stepY = turned(stepY, turns);
  }
  // Sharp pixels with smooth edges: linear filtering only where two pixels meet.
  vec2 size = vec2(textureSize(textures, 0).xy);
  vec2 pixel = at * size;
  vec2 seam = floor(pixel + 0.5);
  vec2 width = max(vec2(1e-5), (abs(stepX) + abs(stepY)) * size);
  at = (seam + clamp((pixel - seam) / width, -0.5, 0.5)) / size;
  vec4 colour = textureGrad(textures, vec3(at, layer), stepX, stepY);
  return vec4(colour.rgb * tint.rgb, colour.a * tint.a);
}
`;
