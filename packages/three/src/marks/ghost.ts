import type { BlockLooks, ModelQuad } from "@orthant/mesh/looks";
import {
  BufferGeometry,
  DataTexture,
  Float32BufferAttribute,
  Mesh,
  ShaderMaterial,
  SRGBColorSpace,
  Vector2,
} from "three";
import { blockQuads } from "../block/block-quads.ts";
import { LEVELS_GLSL } from "../sky/light-levels.ts";
import { SKY_GLSL, type SkyUniforms } from "../sky/sky-uniforms.ts";

/** How much of a ghost is there. */
const OPACITY = 0.4;
/** A little smaller than its voxel, so that it does not flicker on the faces around, in voxels on each side. */
const INSIDE = 0.004;
const SIXTEENTHS = 16;
const CHANNELS = 4;

const VERTEX = /* glsl */ `
varying vec2 onTexture;
varying vec3 tinted;
varying vec3 fromEye;
attribute vec3 tint;
void main() {
  onTexture = uv;
  tinted = tint;
  vec4 place = modelMatrix * vec4(position, 1.0);
  fromEye = place.xyz - cameraPosition;
  gl_Position = projectionMatrix * viewMatrix * place;
}`;
const FRAGMENT = /* glsl */ `
varying vec2 onTexture;
varying vec3 tinted;
varying vec3 fromEye;
uniform sampler2D layers;
uniform float opacity;
uniform vec2 lights;
${SKY_GLSL}
${LEVELS_GLSL}
void main() {
  vec4 colour = texture2D(layers, onTexture);
  if (colour.a < 0.1) discard;
  vec3 normal = abs(normalize(cross(dFdx(fromEye), dFdy(fromEye))));
  float side = dot(normal * normal, vec3(0.6, 1.0, 0.75));
  // A little brighter than its place, so that it can be seen in the dark.
  gl_FragColor = vec4(throughAir(colour.rgb * tinted * side * lightAt(lights, 0.08), fromEye), opacity);
  #include <tonemapping_fragment>
  #include <colorspace_fragment>
}`;

/** A block that is not there: a mesh of its model, from its lowest corner on. */
export type GhostMesh = Mesh<BufferGeometry, ShaderMaterial>;

/** Returns the ghost of a block; `undefined` for what is not drawn. */
export function ghostOf(looks: BlockLooks, block: number, sky: SkyUniforms): GhostMesh | undefined {
  const quads = blockQuads(looks.lookOf(block));
  if (quads.length === 0) return undefined;
  const used = [...new Set(quads.map(({ texture }) => texture.layer))];
  const material = new ShaderMaterial({
    name: "ghost",
    uniforms: {
      ...sky,
      layers: { value: textureOf(looks, used) },
      opacity: { value: OPACITY },
      lights: { value: new Vector2(1, 0) },
    },
    vertexShader: VERTEX,
    fragmentShader: FRAGMENT,
    transparent: true,
    depthWrite: false,
  });
  const mesh = new Mesh(geometryOf(quads, used), material);
  mesh.renderOrder = 3;
  mesh.raycast = () => {};
  return mesh;
}

/** Lights a ghost by the sky and by blocks, from 0 to 1. */
export function lightGhost({ material }: GhostMesh, sky: number, block: number): void {
  (material.uniforms["lights"]?.value as Vector2 | undefined)?.set(sky, block);
}

/** Frees a ghost. */
export function freeGhost({ geometry, material }: GhostMesh): void {
  geometry.dispose();
  const layers: DataTexture | undefined = material.uniforms["layers"]?.value;
  layers?.dispose();
  material.dispose();
}

/** One layer above the other, the first one at the bottom. */
function textureOf({ textures }: BlockLooks, used: readonly number[]): DataTexture {
  const layerBytes = textures.edge ** 2 * CHANNELS;
  const pixels = new Uint8Array(used.length * layerBytes);
  for (const [index, layer] of used.entries())
    pixels.set(textures.pixels.subarray(layer * layerBytes, (layer + 1) * layerBytes), index * layerBytes);
  const texture = new DataTexture(pixels, textures.edge, textures.edge * used.length);
  texture.colorSpace = SRGBColorSpace;
  texture.needsUpdate = true;
  return texture;
}

function geometryOf(quads: readonly ModelQuad[], used: readonly number[]): BufferGeometry {
  const [positions, uvs, tints, indices]: [number[], number[], number[], number[]] = [[], [], [], []];
  for (const { corners, uvs: onTexture, texture } of quads) {
    const first = positions.length / 3;
    for (const part of corners) positions.push(INSIDE + (part / SIXTEENTHS) * (1 - 2 * INSIDE));
    const row = used.indexOf(texture.layer);
    for (let corner = 0; corner < 4; corner++) {
      const [u, v] = [onTexture[corner * 2] as number, onTexture[corner * 2 + 1] as number];
      uvs.push(within(u), (row + within(v)) / used.length);
      tints.push(...[16, 8, 0].map((shift) => (((texture.tint >> shift) & 0xff) / 0xff) ** 2.2));
    }
    indices.push(first, first + 1, first + 2, first, first + 2, first + 3);
  }
  return new BufferGeometry()
    .setAttribute("position", new Float32BufferAttribute(positions, 3))
    .setAttribute("uv", new Float32BufferAttribute(uvs, 2))
    .setAttribute("tint", new Float32BufferAttribute(tints, 3))
    .setIndex(indices);
}

/** A place on a layer, a little away from the layers beside it. */
function within(sixteenths: number): number {
  return Math.min(0.999, Math.max(0.001, sixteenths / SIXTEENTHS));
}
