import type { Dimensions, Position, Vector } from "@orthant/core";
import { castRay, type VoxelReader } from "@orthant/mesh";
import { materialOf, type SoundMaterial } from "./materials.ts";
import type { Sounds } from "./sounds.ts";
import type { WalkState } from "./walking.ts";

/** How often the page looks for a roof, in seconds. */
const LISTEN_SECONDS = 0.4;
const ROOF_DISTANCE = 24;
/** Voxels of a step of the feet, and of a stroke in water. */
const [STEP_LENGTH, STROKE_LENGTH] = [2.2, 2.8];
/** A fall at this speed is heard, in voxels per second. */
const LANDING_SPEED = 7;
/** Voxels above the start at which the wind is strongest. */
const WINDY_HEIGHT = 70;
const UP = 1;

/** What a player hears while walking. */
export class Ears {
  readonly #world: VoxelReader<Dimensions>;
  readonly #sounds: Sounds;
  #last: WalkState<Dimensions> | undefined;
  #start = 0;
  #walked = 0;
  #listenedMs = Number.NEGATIVE_INFINITY;

  constructor(world: VoxelReader<Dimensions>, sounds: Sounds) {
    this.#world = world;
    this.#sounds = sounds;
  }

  follow(state: WalkState<Dimensions>, eyes: Vector<Dimensions>): void {
    const last = this.#last;
    this.#last = state;
    this.#listen(eyes);
    if (last === undefined) {
      this.#start = state.position[UP];
      return;
    }
    if (state.inLiquid && !last.inLiquid && (last.velocity[UP] as number) < -2)
      this.#sounds.play("place", "water");
    const lands = state.onGround && !last.onGround && (last.velocity[UP] as number) < -LANDING_SPEED;
    if (lands) this.#sounds.play("hit", this.#ground(state));
    this.#walked += Math.hypot(
      ...state.position.map((part, axis) => (axis === UP ? 0 : part - (last.position[axis] as number))),
    );
    if (state.isFlying || !(state.onGround || state.inLiquid)) return;
    if (this.#walked < (state.inLiquid ? STROKE_LENGTH : STEP_LENGTH)) return;
    this.#walked = 0;
    this.#sounds.play("step", state.inLiquid ? "water" : this.#ground(state));
  }

  #ground({ position }: WalkState<Dimensions>): SoundMaterial {
    return materialOf(this.#world.blocks, this.#blockAt(position, -0.1));
  }

  #blockAt(place: Vector<Dimensions>, up: number): number {
    const voxel = place.map((part, axis) => Math.floor(axis === UP ? part + up : part));
    return this.#world.voxelAt(voxel as unknown as Position<Dimensions>) ?? 0;
  }

  /** Casts rays to find out how much of the sky is hidden, now and then. */
  #listen(eyes: Vector<Dimensions>): void {
    const now = performance.now();
    if (now - this.#listenedMs < LISTEN_SECONDS * 1_000 || !this.#sounds.isSounding) return;
    this.#listenedMs = now;
    const world = this.#world;
    const rays = roofRays(eyes.length);
    const stopsAt = (block: number): boolean => world.blocks.isSolid(block);
    const hits = rays.filter((ray) => {
      const direction = ray as unknown as Vector<Dimensions>;
      return castRay(world, eyes, direction, ROOF_DISTANCE, { stopsAt }) !== undefined;
    });
    const block = this.#blockAt(eyes, 0);
    const isUnderWater =
      !world.blocks.isSolid(block) && materialOf(world.blocks, block) === "water" && block !== 0;
    this.#sounds.surround({
      enclosure: hits.length / rays.length,
      height: Math.max(0, Math.min(1, (eyes[UP] - this.#start) / WINDY_HEIGHT)),
      isUnderWater,
    });
  }
}

/** Returns directions to the sky: straight up, and to all sides. */
function roofRays(axes: number): readonly (readonly number[])[] {
  const rays = [Array.from({ length: axes }, (_, axis) => Number(axis === UP))];
  for (let axis = 0; axis < axes; axis++) {
    if (axis === UP) continue;
    for (const side of [-1, 1])
      rays.push(Array.from({ length: axes }, (_, at) => (at === UP ? 1.2 : at === axis ? side : 0)));
  }
  return rays;
}
