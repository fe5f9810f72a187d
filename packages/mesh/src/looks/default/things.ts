import type { TexturePainter } from "./materials.ts";
import { noiseOf, randomOf, shadesOf, TEXTURE_EDGE, TextureCanvas } from "./texture-canvas.ts";

const IRON = 0xb9bcc0;
const DARK = 0x33302e;

/** A polished plate with a bevelled edge. */
export function paintMetal(colour: number): TexturePainter {
  return (seed) => {
    const shade = shadesOf(colour, 5);
    const brushed = noiseOf(randomOf(seed), 2, 16);
    return new TextureCanvas().fill((x, y) => {
      if (x === 0 || y === 0) return shade(3);
      if (x === TEXTURE_EDGE - 1 || y === TEXTURE_EDGE - 1) return shade(-3);
      if (x === 1 && y === 1) return shade(2);
      return shade(brushed(x, y) > 170 ? 1 : brushed(x, y) < 80 ? -1 : 0);
    });
  };
}

/** A side of a chest, and its front with a lock. */
export function paintChest(colour: number, hasLock: boolean): TexturePainter {
  return (seed) => {
    const [wood, frame, iron] = [shadesOf(colour, 5), shadesOf(0x6b4a2f, 6), shadesOf(IRON, 6)];
    const grain = noiseOf(randomOf(seed), 2, 16);
    const canvas = new TextureCanvas().fill((x, y) => {
      if (x === 0 || y === 0) return frame(1);
      if (x === TEXTURE_EDGE - 1 || y === TEXTURE_EDGE - 1) return frame(-2);
      if (y === 6) return frame(-2);
      const edge = y === 1 || y === 7 ? 1 : y === 14 || y === 5 ? -1 : 0;
      return wood(edge + (grain(x, y) > 170 ? 1 : grain(x, y) < 80 ? -1 : 0));
    });
    for (let y = 5; hasLock && y < 9; y++) {
      canvas.set(7, y, iron(y === 5 ? 2 : 0));
      canvas.set(8, y, y === 7 ? DARK : iron(y === 8 ? -3 : -1));
    }
    return canvas;
  };
}

/** A side of a furnace: a plain wall, or the front, with or without a fire in it. */
export function paintFurnace(colour: number, kind: "wall" | "front" | "lit"): TexturePainter {
  return (seed) => {
    const random = randomOf(seed);
    const [wall, inside] = [shadesOf(colour, 5), shadesOf(DARK, 8)];
    const [fire, rough] = [shadesOf(0xf08a2c, 8), noiseOf(random, 8, 8)];
    const canvas = new TextureCanvas().fill((x, y) => {
      if (x === 0 || y === 0) return wall(2);
      if (x === TEXTURE_EDGE - 1 || y === TEXTURE_EDGE - 1) return wall(-3);
      return wall(rough(x, y) > 165 ? 1 : rough(x, y) < 85 ? -1 : 0);
    });
    if (kind === "wall") return canvas;
    for (let y = 3; y < 13; y++) {
      // An opening with a round top, above it a slit for smoke.
      const inset = y === 7 ? 5 : y === 8 ? 4 : 3;
      if (y === 5 || y === 6) continue;
      if (y === 3 || y === 4) {
        for (let x = 4; x < 12; x++) canvas.set(x, y, y === 3 ? inside(0) : wall(2));
        continue;
      }
      for (let x = inset; x < TEXTURE_EDGE - inset; x++)
        canvas.set(x, y, inside(y === 7 || x === inset ? -1 : 1));
    }
    for (let x = 4; kind === "lit" && x < 12; x++) {
      const height = random.between(2, 4);
      for (let up = 0; up < height; up++)
        canvas.set(x, 12 - up, fire(up === 0 ? 4 : up < height - 1 ? 1 : -2));
    }
    return canvas;
  };
}

/** A stick with a flame, in the middle of an empty texture. */
export function paintTorch(colour: number): TexturePainter {
  return () => {
    const [stick, flame] = [shadesOf(colour, 9), shadesOf(0xffd27a, 5)];
    const canvas = new TextureCanvas();
    for (let y = 8; y < TEXTURE_EDGE; y++) {
      canvas.set(7, y, stick(y % 3 === 0 ? 1 : 2));
      canvas.set(8, y, stick(y % 4 === 1 ? -2 : -1));
    }
    for (const [x, y, colourOfFlame] of [
      [7, 6, flame(4)],
      [8, 6, flame(3)],
      [7, 7, flame(0)],
      [8, 7, 0xf0a03c],
      [7, 8, 0xc9712c],
      [8, 8, 0xa3552a],
    ] as const) {
      canvas.set(x, y, colourOfFlame);
    }
    return canvas;
  };
}

/** Two rails and four rungs. */
export function paintLadder(colour: number): TexturePainter {
  return () => {
    const shade = shadesOf(colour, 6);
    const canvas = new TextureCanvas();
    for (let y = 1; y < TEXTURE_EDGE; y += 4) {
      for (let x = 1; x < TEXTURE_EDGE - 1; x++) {
        canvas.set(x, y, shade(x % 5 === 2 ? 0 : 1));
        canvas.set(x, y + 1, shade(-3));
      }
    }
    for (const x of [2, 12]) {
      for (let y = 0; y < TEXTURE_EDGE; y++) {
        canvas.set(x, y, shade(y % 7 === 3 ? 0 : 1));
        canvas.set(x + 1, y, shade(-2));
      }
    }
    return canvas;
  };
}

/** Half of a door: boards in a frame, above with a window of four panes and below with a handle. */
export function paintDoor(colour: number, isUpper: boolean): TexturePainter {
  return (seed) => {
    const [wood, iron] = [shadesOf(colour, 5), shadesOf(IRON, 6)];
    const grain = noiseOf(randomOf(seed), 8, 2);
    const canvas = new TextureCanvas().fill((x, y) => {
      if (x === 0 || (isUpper && y === 0)) return wood(2);
      if (x === TEXTURE_EDGE - 1 || (!isUpper && y === TEXTURE_EDGE - 1)) return wood(-4);
      if (x === 3 || x === 12) return wood(-2);
      const rail = isUpper ? y < 3 || y > 13 : y > 12 || y < 1;
      if (!rail && x > 3 && x < 12 && (x === 6 || x === 9)) return wood(-3);
      return wood((x < 3 || x > 12 || rail ? 0 : -1) + (grain(x, y) > 165 ? 1 : 0));
    });
    if (isUpper) {
      for (let y = 4; y < 11; y++) {
        for (let x = 4; x < 12; x++) {
          const isBar = x === 4 || x === 11 || y === 4 || y === 10 || y === 7 || x === 7 || x === 8;
          if (isBar) canvas.set(x, y, wood(y === 4 || x === 4 ? -3 : y === 10 ? 2 : 0));
          else canvas.set(x, y, 0, 0);
        }
      }
    } else {
      canvas.set(12, 3, iron(2));
      canvas.set(13, 3, iron(0));
      canvas.set(12, 4, iron(-3));
      canvas.set(13, 4, iron(-5));
    }
    return canvas;
  };
}

/** Blades of grass that bend to both sides. */
export function paintTallGrass(colour: number): TexturePainter {
  return (seed) => {
    const random = randomOf(seed);
    const shade = shadesOf(colour, 7);
    const canvas = new TextureCanvas();
    for (let blade = 0; blade < 10; blade++) {
      let x = 3 + blade + random.between(-1, 1);
      const height = random.between(5, 9) + Math.min(blade, 9 - blade);
      const bend = blade < 4 ? -1 : blade > 5 ? 1 : 0;
      const tone = random.between(-1, 1);
      for (let up = 0; up < height; up++) {
        if (up > 3 && up % 3 === 0) x += bend;
        if (x < 0 || x >= TEXTURE_EDGE) break;
        canvas.set(x, TEXTURE_EDGE - 1 - up, shade(tone + (up < 3 ? -2 : up > height - 3 ? 2 : 0)));
      }
    }
    return canvas;
  };
}

/** A flower on its stem, with two leaves. */
export function paintFlower(stemColour: number, petalColour: number, heartColour: number): TexturePainter {
  return () => {
    const [stem, petal, heart] = [
      shadesOf(stemColour, 7),
      shadesOf(petalColour, 7),
      shadesOf(heartColour, 6),
    ];
    const canvas = new TextureCanvas();
    for (let y = 8; y < TEXTURE_EDGE; y++) canvas.set(8, y, stem(y < 11 ? 1 : -1));
    for (const [x, y, level] of [
      [7, 12, 0],
      [6, 11, 1],
      [5, 11, 2],
      [9, 13, -1],
      [10, 12, 0],
      [11, 12, 1],
    ] as const) {
      canvas.set(x, y, stem(level));
    }
    for (let y = 3; y < 9; y++) {
      for (let x = 5; x < 12; x++) {
        const out = (x - 8) * (x - 8) + ((2 * y - 11) * (2 * y - 11)) / 4;
        if (out <= 9.5 && (x + y) % 5 !== 4) canvas.set(x, y, petal(y < 5 ? 2 : y > 6 ? -2 : x < 8 ? 1 : -1));
      }
    }
    canvas.set(8, 5, heart(2));
    canvas.set(7, 5, heart(1));
    canvas.set(8, 6, heart(-1));
    canvas.set(7, 6, heart(0));
    return canvas;
  };
}
