import { moveBox } from "@orthant/mesh";
import type { ClientWorld, Position, Vector } from "orthant/client";

const SIZE: Vector<3> = [0.6, 1.8, 0.6];
const EYE_HEIGHT = 1.6;
/** In voxels a second, and a second squared. */
const [SPEED, JUMP, GRAVITY] = [6, 9, 28];

/** What the player wants to do: each from -1 to 1, and whether to jump. */
export interface Walking {
  readonly forward: number;
  readonly right: number;
  readonly jump: boolean;
}

/** The player: walks, jumps and falls, and stops at solid blocks. */
export class Player {
  readonly #world: ClientWorld<3>;
  #position: Vector<3>;
  #speedUp = 0;

  constructor(world: ClientWorld<3>) {
    this.#world = world;
    this.#position = world.pose.position;
    world.onMoved(({ position }) => {
      this.#position = position; // the server has put the player elsewhere
    });
  }

  /** Where the feet are. */
  get position(): Vector<3> {
    return this.#position;
  }

  get eyes(): Vector<3> {
    const [x, y, z] = this.#position;
    return [x, y + EYE_HEIGHT, z];
  }

  /** Moves on by a part of a second; `direction` is the angle that the player looks in. */
  walk({ forward, right, jump }: Walking, direction: number, seconds: number): void {
    const [sin, cos] = [Math.sin(direction), Math.cos(direction)];
    this.#speedUp -= GRAVITY * seconds;
    const moved = moveBox(this.#world, { position: this.#position, size: SIZE }, [
      (right * cos - forward * sin) * SPEED * seconds,
      this.#speedUp * seconds,
      (-right * sin - forward * cos) * SPEED * seconds,
    ]);
    this.#position = moved.position;
    if (moved.hit[1] !== 0) this.#speedUp = moved.onGround && jump ? JUMP : 0;
  }

  /** Whether a block at this voxel would be inside the player. */
  overlaps([voxelX, voxelY, voxelZ]: Position<3>): boolean {
    const [x, y, z] = this.#position;
    const [width, height] = SIZE;
    const near = (voxel: number, at: number): boolean => Math.abs(voxel + 0.5 - at) < (1 + width) / 2;
    return near(voxelX, x) && near(voxelZ, z) && voxelY < y + height && voxelY + 1 > y;
  }
}
