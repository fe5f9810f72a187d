import { moveBox, type VoxelReader } from "@orthant/mesh";
import type { ClientWorld, Position, Vector } from "orthant/client";

const SIZE: Vector<2> = [0.8, 1.7];
/** In tiles a second, and a second squared. */
const [SPEED, JUMP, GRAVITY] = [8, 12, 30];

/** What the player wants to do: -1 is to the left, 1 to the right. */
export interface Walking {
  readonly right: number;
  readonly jump: boolean;
}

/** What the player needs of the world. */
type Land = VoxelReader<2> & Pick<ClientWorld<2>, "pose" | "onMoved">;

/** The player: walks, jumps and falls, and stops at solid tiles. */
export class Player {
  readonly #world: Land;
  #position: Vector<2>;
  #speedUp = 0;

  constructor(world: Land) {
    this.#world = world;
    this.#position = world.pose.position;
    world.onMoved(({ position }) => {
      this.#position = position; // the server has put the player elsewhere
    });
  }

  /** The middle of the feet. */
  get position(): Vector<2> {
    return this.#position;
  }

  /** Moves on by a part of a second. */
  walk({ right, jump }: Walking, seconds: number): void {
    this.#speedUp -= GRAVITY * seconds;
    const motion: Vector<2> = [right * SPEED * seconds, this.#speedUp * seconds];
    const moved = moveBox(this.#world, { position: this.#position, size: SIZE }, motion);
    this.#position = moved.position;
    if (moved.hit[1] !== 0) this.#speedUp = moved.onGround && jump ? JUMP : 0;
    // A single tile is a step, not a wall.
    if (moved.hit[0] !== 0 && moved.onGround) this.#step(right * SPEED * seconds);
  }

  /** Whether a tile would be inside the player. */
  overlaps([tileX, tileY]: Position<2>): boolean {
    const [x, y] = this.#position;
    return Math.abs(tileX + 0.5 - x) < (1 + SIZE[0]) / 2 && tileY < y + SIZE[1] && tileY + 1 > y;
  }

  #step(right: number): void {
    const up = moveBox(this.#world, { position: this.#position, size: SIZE }, [0, 1]);
    const over = moveBox(this.#world, up, [right, 0]);
    if (up.hit[1] === 0 && over.hit[0] === 0) this.#position = over.position;
  }
}
