import {
  blobsOf,
  noiseOf,
  pointsOf,
  randomOf,
  shadesOf,
  TEXTURE_EDGE,
  TextureCanvas,
} from "./texture-canvas.ts";

/** Paints a variant of a texture. The same seed paints the same pixels. */
export type TexturePainter = (seed: number) => TextureCanvas;

const CLEAR = 0;

/** Rock in wide, soft blobs with a few cracks. */
export function paintStone(colour: number): TexturePainter {
  return (seed) => {
    const random = randomOf(seed);
    const shade = shadesOf(colour, 3);
    const blobs = blobsOf(pointsOf(random, 3, 4));
    const isCracked = Array.from({ length: 12 }, () => random.below(2) === 0);
    const [wide, fine] = [noiseOf(random, 4, 4), noiseOf(random, 16, 8)];
    return new TextureCanvas().fill((x, y) => {
      const { index, x: right, y: down, gap } = blobs(x, y);
      const isCrack = isCracked[index] === true && right + down >= 0;
      if (gap <= 3 && isCrack) return shade(-3);
      if (gap <= 7 && isCrack) return shade(-1);
      const rim = right + down < -4 ? 1 : right + down > 4 ? -1 : 0;
      return shade(rim + levelOf(wide(x, y) + (fine(x, y) >> 2), [115, 190]));
    });
  };
}

/** Stones of different tones with gaps between them; `rows` of them, each a little more or less than two wide. */
export function paintStones(colour: number, percent: number, rows: number): TexturePainter {
  return (seed) => {
    const random = randomOf(seed);
    const shade = shadesOf(colour, percent);
    const blobs = blobsOf(pointsOf(random, rows - 1, rows));
    const tones = Array.from({ length: rows * rows }, () => random.between(-1, 1));
    const fine = noiseOf(random, 16, 16);
    return new TextureCanvas().fill((x, y) => {
      const { index, x: right, y: down, gap } = blobs(x, y);
      if (gap <= (rows > 4 ? 1 : 6)) return shade(right + down > 0 ? -4 : -3);
      const rim = right + down < -2 ? 1 : right + down > 2 ? -1 : 0;
      return shade((tones[index] as number) + rim + (fine(x, y) > 215 ? 1 : fine(x, y) < 40 ? -1 : 0));
    });
  };
}

/** Clods of earth with small stones. */
export function paintSoil(colour: number): TexturePainter {
  return (seed) => {
    const random = randomOf(seed);
    const shade = shadesOf(colour, 5);
    const clods = noiseOf(random, 8, 8);
    const wide = noiseOf(random, 4, 4);
    const canvas = new TextureCanvas().fill((x, y) =>
      shade(levelOf(clods(x, y) + (wide(x, y) >> 1), [110, 160, 215, 260])),
    );
    for (let stone = 0; stone < 4; stone++) {
      const [x, y] = [random.below(TEXTURE_EDGE), random.below(TEXTURE_EDGE)];
      canvas.set(x, y, shade(3));
      canvas.set(x, y + 1, shade(-3));
      if (stone % 2 === 0) canvas.set(x + 1, y, shade(2));
    }
    return canvas;
  };
}

/** Tufts of grass from above. */
export function paintGrass(colour: number): TexturePainter {
  return (seed) => {
    const random = randomOf(seed);
    const shade = shadesOf(colour, 4);
    const wide = noiseOf(random, 4, 4);
    const canvas = new TextureCanvas().fill((x, y) => shade(levelOf(wide(x, y), [80, 165]) - 1));
    for (let tuft = 0; tuft < 24; tuft++) {
      const [x, y] = [random.below(TEXTURE_EDGE), random.below(TEXTURE_EDGE)];
      canvas.set(x, y + 1, shade(-2));
      canvas.set(x, y, shade(1));
      // A tuft leans to one side, and every third one has a second blade.
      const lean = random.below(2) === 0 ? -1 : 1;
      canvas.set(x + lean, y - 1, shade(2));
      if (tuft % 3 === 0) canvas.set(x - lean, y, shade(1));
    }
    return canvas;
  };
}

/** What lies on the side of a block below it, as an uneven fringe. */
export function paintFringe(paintBelow: TexturePainter, colour: number, seedOfBelow: number): TexturePainter {
  return (seed) => {
    const random = randomOf(seed);
    const shade = shadesOf(colour, 5);
    const canvas = paintBelow(seedOfBelow).copy();
    const below = shadesOf(0x5b3f2b, 4);
    let depth = 4;
    for (let x = 0; x < TEXTURE_EDGE; x++) {
      // The last columns lead back to the first one.
      const target = x > TEXTURE_EDGE - 3 ? 4 : random.between(2, 6);
      depth = target > depth ? Math.min(target, depth + 2) : Math.max(target, depth - 2);
      for (let y = 0; y < depth; y++) {
        const level = y === 0 ? 1 : y === depth - 1 ? -2 : random.between(-1, 1);
        canvas.set(x, y, shade(level));
      }
      canvas.set(x, depth, below(random.between(0, 1)));
    }
    return canvas;
  };
}

/** Ripples of sand, each with a light ridge and a dark valley. */
export function paintSand(colour: number): TexturePainter {
  return (seed) => {
    const random = randomOf(seed);
    const shade = shadesOf(colour, 3);
    const bend = noiseOf(random, 2, 2);
    const grains = noiseOf(random, 16, 16);
    const RIPPLE = [1, 1, 0, 0, -1, -1, 0, 0];
    return new TextureCanvas().fill((x, y) => {
      const ripple = RIPPLE[(y + (bend(x, y) >> 5) + 8) % 8] as number;
      const grain = grains(x, y);
      return shade(ripple + (grain > 238 ? 1 : grain < 16 ? -2 : 0));
    });
  };
}

/** Fresh snow: nearly flat, with blue hollows. */
export function paintSnow(colour: number): TexturePainter {
  return (seed) => {
    const random = randomOf(seed);
    const shade = shadesOf(colour, 2);
    const wide = noiseOf(random, 4, 4);
    const grains = noiseOf(random, 16, 16);
    return new TextureCanvas().fill((x, y) => {
      const level = levelOf(wide(x, y), [70, 115, 170]);
      return shade(Math.min(1, level) - (grains(x, y) > 246 ? 2 : 0));
    });
  };
}

/** Bark: ridges and furrows that run up and down. */
export function paintBark(colour: number): TexturePainter {
  return (seed) => {
    const random = randomOf(seed);
    const shade = shadesOf(colour, 7);
    const ridges = noiseOf(random, 8, 2);
    const fine = noiseOf(random, 16, 4);
    return new TextureCanvas().fill((x, y) => {
      const grain = ridges(x, y) + (fine(x, y) >> 1);
      return shade(levelOf(grain, [95, 150, 215, 275]));
    });
  };
}

/** The end of a log: rings inside of bark. */
export function paintRings(wood: number, bark: number): TexturePainter {
  return (seed) => {
    const random = randomOf(seed);
    const [inner, outer] = [shadesOf(wood, 5), shadesOf(bark, 7)];
    const bend = noiseOf(random, 4, 4);
    return new TextureCanvas().fill((x, y) => {
      const [right, down] = [Math.abs(2 * x - 15), Math.abs(2 * y - 15)];
      const out = Math.max(right, down);
      if (out >= 14) return outer(((x * 5 + y * 3) % 4) - 2);
      const ring = (Math.max(right, down) * 2 + Math.min(right, down) + (bend(x, y) >> 6)) >> 1;
      if (out <= 1) return inner(-3);
      return inner(ring % 4 < 1 ? -2 : ring % 4 === 2 ? 1 : 0);
    });
  };
}

/** Boards, each with grain along it, a light upper edge and a dark gap below. */
export function paintPlanks(colour: number, boards = 4): TexturePainter {
  return (seed) => {
    const random = randomOf(seed);
    const shade = shadesOf(colour, 5);
    const height = TEXTURE_EDGE / boards;
    const grain = noiseOf(random, 2, 16);
    const tones = Array.from({ length: boards }, (_, board) => (board % 2 === 0 ? 0 : random.between(-1, 0)));
    const joints = Array.from(
      { length: boards },
      (_, board) => (board * 7 + 3 + random.below(3)) % TEXTURE_EDGE,
    );
    return new TextureCanvas().fill((x, y) => {
      const board = Math.floor(y / height);
      const row = y % height;
      if (row === height - 1) return shade(-3);
      const joint = joints[board] as number;
      if (x === joint) return shade(-3);
      const edge = row === 0 ? 1 : 0;
      return shade((tones[board] as number) + edge + levelOf(grain(x, y), [80, 175]));
    });
  };
}

/** Leaves in clumps, with holes between them. */
export function paintLeaves(colour: number): TexturePainter {
  return (seed) => {
    const random = randomOf(seed);
    const shade = shadesOf(colour, 7);
    const blobs = blobsOf(pointsOf(random, 4, 5));
    const tones = Array.from({ length: 20 }, () => random.between(-1, 1));
    const canvas = new TextureCanvas();
    for (let y = 0; y < TEXTURE_EDGE; y++) {
      for (let x = 0; x < TEXTURE_EDGE; x++) {
        const { index, x: right, y: down, gap } = blobs(x, y);
        const tone = tones[index] as number;
        const light = right + down < -1 ? 1 : right + down > 1 ? -1 : 0;
        if (gap <= 2 && index % 3 === 0) canvas.set(x, y, shade(-3), CLEAR);
        else if (gap <= 2) canvas.set(x, y, shade(-2));
        else canvas.set(x, y, shade(tone + light));
      }
    }
    return canvas;
  };
}

/** Bricks with a light edge above and a dark one below, in mortar. */
export function paintBricks(colour: number, mortar: number): TexturePainter {
  return (seed) => {
    const random = randomOf(seed);
    const [brick, joint] = [shadesOf(colour, 5), shadesOf(mortar, 4)];
    const tones = Array.from({ length: 8 }, () => random.between(-1, 1));
    const grains = noiseOf(random, 16, 16);
    return new TextureCanvas().fill((x, y) => {
      const course = Math.floor(y / 4);
      const along = (x + (course % 2) * 4) % TEXTURE_EDGE;
      const row = y % 4;
      if (row === 3 || along % 8 === 7) return joint(grains(x, y) > 150 ? 0 : -1);
      const tone = tones[course * 2 + Math.floor(along / 8)] as number;
      const edge = row === 0 ? 1 : row === 2 ? -1 : 0;
      return brick(tone + edge + (along % 8 === 0 ? 1 : 0) - (grains(x, y) > 225 ? 1 : 0));
    });
  };
}

/** Nuggets of an ore in stone. */
export function paintOre(paintAround: TexturePainter, seedOfStone: number, colour: number): TexturePainter {
  return (seed) => {
    const random = randomOf(seed);
    const shade = shadesOf(colour, 9);
    const canvas = paintAround(seedOfStone).copy();
    const rim = shadesOf(0x6f7071, 5);
    for (const [x, y] of pointsOf(random, 2, 3)) {
      const [wide, high] = [random.between(2, 3), random.between(2, 3)];
      for (let down = 0; down < high; down++) {
        for (let right = 0; right < wide; right++) {
          // Without the corners to the right of the light, a nugget is round.
          if (down === 0 && right === 2) continue;
          const level = down + right === 0 ? 3 : down === high - 1 ? -2 : right === 0 ? 1 : 0;
          canvas.set(x + right, y + down, shade(level));
        }
      }
      for (let right = 1; right <= wide; right++) canvas.set(x + right - 1, y + high, rim(-2));
      canvas.set(x + wide, y + 1, rim(-1));
    }
    return canvas;
  };
}

/** A frame with a streak of light across the pane. */
export function paintGlass(colour: number): TexturePainter {
  return () => {
    const shade = shadesOf(colour, 5);
    const canvas = new TextureCanvas();
    for (let at = 0; at < TEXTURE_EDGE; at++) {
      canvas.set(at, 0, shade(2));
      canvas.set(0, at, shade(1));
      canvas.set(at, TEXTURE_EDGE - 1, shade(-3));
      canvas.set(TEXTURE_EDGE - 1, at, shade(-2));
    }
    for (let at = 0; at < 5; at++) {
      canvas.set(3 + at, 8 - at, shade(3));
      if (at > 0) canvas.set(4 + at, 8 - at, shade(3));
    }
    for (let at = 0; at < 3; at++) canvas.set(9 + at, 12 - at, shade(2));
    return canvas;
  };
}

/** The surface of a liquid, in soft bands. */
export function paintLiquid(colour: number, percent: number, opacity: number): TexturePainter {
  return (seed) => {
    const random = randomOf(seed);
    const shade = shadesOf(colour, percent);
    const [wide, fine] = [noiseOf(random, 2, 8), noiseOf(random, 4, 16)];
    const canvas = new TextureCanvas();
    for (let y = 0; y < TEXTURE_EDGE; y++) {
      for (let x = 0; x < TEXTURE_EDGE; x++) {
        const level = levelOf(wide(x, y) + (fine(x, y) >> 2), [90, 140, 190, 235]);
        canvas.set(x, y, shade(level), opacity);
      }
    }
    return canvas;
  };
}

/** A lamp: four bright panes in a frame of brass. */
export function paintLamp(colour: number, frame: number): TexturePainter {
  return () => {
    const [glow, brass] = [shadesOf(colour, 4), shadesOf(frame, 7)];
    return new TextureCanvas().fill((x, y) => {
      const [right, down] = [x % 8, y % 8];
      if (x === 0 || y === 0) return brass(1);
      if (x === 15 || y === 15) return brass(-2);
      if (right === 7 || down === 7) return brass(-1);
      if (right === 0 || down === 0) return brass(0);
      const out = Math.max(Math.abs(2 * right - 7), Math.abs(2 * down - 7));
      return out <= 3 ? 0xfff3d0 : glow(out <= 5 ? 0 : -3);
    });
  };
}

function levelOf(value: number, steps: readonly number[]): number {
  const passed = steps.filter((step) => value >= step).length;
  return passed - Math.floor(steps.length / 2);
}
