import type { BlockLooks } from "@orthant/mesh/looks";
import {
  BoxGeometry,
  Color,
  DynamicDrawUsage,
  InstancedBufferAttribute,
  InstancedMesh,
  Matrix4,
  Quaternion,
  ShaderMaterial,
  Vector3,
} from "three";
import { blockQuads } from "../block/block-quads.ts";
import { LEVELS_GLSL } from "../sky/light-levels.ts";
import { SKY_GLSL, type SkyUniforms } from "../sky/sky-uniforms.ts";

/** Crumbs of one block, at least and at most. */
const [COUNT_MIN, COUNT_MAX] = [8, 12];
/** Crumbs at one time; the oldest make room. */
const CRUMBS_MAX = 144;
/** Seconds that a crumb is there. */
const [LIFE_MIN, LIFE_MAX] = [0.55, 0.95];
/** Edges in voxels. */
const [SIZE_MIN, SIZE_MAX] = [0.07, 0.14];
const GRAVITY = 16;
const CHANNELS = 4;
/** Tries to find a pixel that is not a hole. */
const TRIES = 8;
const OPAQUE_FROM = 128;

const VERTEX = /* glsl */ `
attribute vec2 lights;
varying vec3 fromEye;
varying vec3 facing;
varying vec3 colour;
varying vec2 lit;
void main() {
  vec4 place = modelMatrix * instanceMatrix * vec4(position, 1.0);
  fromEye = place.xyz - cameraPosition;
  facing = mat3(instanceMatrix) * normal;
  colour = instanceColor;
  lit = lights;
  gl_Position = projectionMatrix * viewMatrix * place;
}`;
const FRAGMENT = /* glsl */ `
varying vec3 fromEye;
varying vec3 facing;
varying vec3 colour;
varying vec2 lit;
${SKY_GLSL}
${LEVELS_GLSL}
void main() {
  vec3 normal = normalize(facing);
  float side = dot(normal * normal, vec3(0.52, normal.y > 0.0 ? 1.0 : 0.3, 0.72));
  gl_FragColor = vec4(throughAir(colour * side * lightAt(lit, 0.04), fromEye), 1.0);
  #include <tonemapping_fragment>
  #include <colorspace_fragment>
}`;

interface Crumb {
  readonly position: Vector3;
  readonly velocity: Vector3;
  readonly turned: Quaternion;
  readonly size: number;
  readonly life: number;
  age: number;
}

/** Small cubes of the colours of blocks that broke. They fall, and vanish within a second. */
export class Crumbs {
  readonly mesh: InstancedMesh<BoxGeometry, ShaderMaterial>;
  readonly #lights = new InstancedBufferAttribute(new Float32Array(CRUMBS_MAX * 2), 2);
  readonly #crumbs: (Crumb | undefined)[] = Array.from({ length: CRUMBS_MAX });
  readonly #random: () => number;
  #next = 0;

  constructor(sky: SkyUniforms, random: () => number) {
    this.#random = random;
    const material = new ShaderMaterial({
      name: "crumbs",
      uniforms: { ...sky },
      vertexShader: VERTEX,
      fragmentShader: FRAGMENT,
    });
    const geometry = new BoxGeometry(1, 1, 1).setAttribute("lights", this.#lights);
    this.mesh = new InstancedMesh(geometry, material, CRUMBS_MAX);
    this.mesh.instanceMatrix.setUsage(DynamicDrawUsage);
    for (let index = 0; index < CRUMBS_MAX; index++) {
      this.mesh.setMatrixAt(index, NOTHING);
      this.mesh.setColorAt(index, new Color());
    }
    this.mesh.frustumCulled = false;
    this.mesh.visible = false;
    this.mesh.raycast = () => {};
  }

  /** Crumbs that are there. */
  get count(): number {
    return this.#crumbs.filter((crumb) => crumb !== undefined).length;
  }

  /** Breaks a block whose lowest corner is given, in light of the sky and of blocks from 0 to 1. */
  add(looks: BlockLooks, block: number, corner: readonly number[], light: readonly [number, number]): void {
    const from = (min: number, max: number): number => min + (max - min) * this.#random();
    const count = Math.round(from(COUNT_MIN, COUNT_MAX));
    for (let made = 0; made < count; made++) {
      const colour = this.#colour(looks, block);
      if (colour === undefined) return;
      const index = this.#next++ % CRUMBS_MAX;
      const place = new Vector3(from(0.15, 0.85), from(0.2, 0.9), from(0.15, 0.85));
      const velocity = place
        .clone()
        .subScalar(0.5)
        .multiplyScalar(3.2)
        .add(new Vector3(0, from(1.2, 3.2), 0));
      this.#crumbs[index] = {
        position: place.add(new Vector3(corner[0], corner[1], corner[2])),
        velocity,
        turned: new Quaternion(from(-1, 1), from(-1, 1), from(-1, 1), 1).normalize(),
        size: from(SIZE_MIN, SIZE_MAX),
        life: from(LIFE_MIN, LIFE_MAX),
        age: 0,
      };
      this.mesh.setColorAt(index, colour);
      this.#lights.setXY(index, ...light);
    }
    this.#lights.needsUpdate = true;
    if (this.mesh.instanceColor) this.mesh.instanceColor.needsUpdate = true;
  }

  /** Lets them fall for some seconds; `isSolid` says where they stop. */
  update(seconds: number, isSolid: (x: number, y: number, z: number) => boolean): void {
    let isAny = false;
    for (const [index, crumb] of this.#crumbs.entries()) {
      if (crumb === undefined) continue;
      isAny = true;
      crumb.age += seconds;
      if (crumb.age >= crumb.life) {
        this.#crumbs[index] = undefined;
        this.mesh.setMatrixAt(index, NOTHING);
        continue;
      }
      fall(crumb, seconds, isSolid);
      const left = Math.min(1, (crumb.life - crumb.age) / 0.25);
      matrix.compose(crumb.position, crumb.turned, scale.setScalar(crumb.size * left));
      this.mesh.setMatrixAt(index, matrix);
    }
    this.mesh.visible = isAny;
    if (isAny) this.mesh.instanceMatrix.needsUpdate = true;
  }

  dispose(): void {
    this.mesh.geometry.dispose();
    this.mesh.material.dispose();
    this.mesh.dispose();
  }

  /** A colour somewhere on the block, as its texture has it. */
  #colour(looks: BlockLooks, block: number): Color | undefined {
    const quads = blockQuads(looks.lookOf(block));
    const { edge, pixels } = looks.textures;
    for (let tried = 0; tried < TRIES; tried++) {
      const texture = quads[Math.floor(this.#random() * quads.length)]?.texture;
      if (texture === undefined) return undefined;
      const pixel = texture.layer * edge ** 2 + Math.floor(this.#random() * edge ** 2);
      const [red = 0, green = 0, blue = 0, opacity = 0] = pixels.subarray(
        pixel * CHANNELS,
        (pixel + 1) * CHANNELS,
      );
      if (opacity < OPAQUE_FROM && tried < TRIES - 1) continue;
      return new Color((red << 16) | (green << 8) | blue).multiply(new Color(texture.tint));
    }
    return undefined;
  }
}

const NOTHING = new Matrix4().makeScale(0, 0, 0);
const matrix = new Matrix4();
const scale = new Vector3();

function fall(crumb: Crumb, seconds: number, isSolid: (x: number, y: number, z: number) => boolean): void {
  const { position, velocity, size } = crumb;
  velocity.y -= GRAVITY * seconds;
  const next = position.y + velocity.y * seconds;
  if (velocity.y < 0 && isSolid(position.x, next - size / 2, position.z)) {
    // It lies there, and slides a little.
    velocity.set(velocity.x * 0.6, 0, velocity.z * 0.6);
    return;
  }
  position.addScaledVector(velocity, seconds);
}
