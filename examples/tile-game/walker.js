// Somebody who walks, falls and jumps. Knows nothing of worlds but whether a tile is solid.

const [WALK, JUMP, FALL] = [7, 11, 30]; // tiles a second, and for each second of falling
const [HALF_WIDTH, HEIGHT] = [0.4, 1.7];

export class Walker {
  isStanding = false;
  #speedUp = 0;
  #isSolid;

  constructor(x, y, isSolid) {
    this.x = x;
    this.y = y;
    this.#isSolid = isSolid;
  }

  /** Moves on by a part of a second. */
  step(seconds, { left, right, jump }) {
    const across = (Number(right) - Number(left)) * WALK * seconds;
    // A single tile is a step, not a wall.
    if (this.#fits(this.x + across, this.y)) this.x += across;
    else if (this.isStanding && this.#fits(this.x + across, this.y + 1))
      [this.x, this.y] = [this.x + across, this.y + 1];

    if (jump && this.isStanding) this.#speedUp = JUMP;
    this.#speedUp = Math.max(-20, this.#speedUp - FALL * seconds);
    const up = this.#speedUp * seconds;
    this.isStanding = false;
    if (this.#fits(this.x, this.y + up)) this.y += up;
    else {
      this.isStanding = up < 0;
      if (up < 0) this.y = Math.ceil(this.y + up);
      this.#speedUp = 0;
    }
  }

  #fits(x, y) {
    for (const side of [x - HALF_WIDTH, x + HALF_WIDTH]) {
      for (const height of [y, y + 1, y + HEIGHT]) {
        if (this.#isSolid(Math.floor(side), Math.floor(height))) return false;
      }
    }
    return true;
  }
}
