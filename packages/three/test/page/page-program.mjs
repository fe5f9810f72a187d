// Runs in a browser: a page without a picture of its world, which is a field with a pond and a low roof.
import { AIR, DEFAULT_BLOCKS } from "@orthant/core";
import { defaultLooks, looksOf } from "@orthant/mesh/looks";
import { blockPicture, GamePage, walking } from "@orthant/three/page";

const [STONE, GRASS, WATER, LEAVES] = ["stone", "grass", "water", "leaves"].map((name) =>
  DEFAULT_BLOCKS.id(name),
);
const world = {
  dimensions: 3,
  blocks: DEFAULT_BLOCKS,
  spawn: [0.5, 1, 0.5],
  voxelAt([x, y]) {
    if (x > 20 && y === 4) return STONE;
    if (x < -20) return y < -6 ? STONE : y < 1 ? WATER : AIR;
    return y < 0 ? STONE : y === 0 ? GRASS : AIR;
  },
};

const canvas = document.createElement("canvas");
canvas.style.cssText =
  "position: fixed; inset: 0; width: 100%; height: 100%; background: linear-gradient(#4f8fd6, #bcdcf2 55%, #6a9f4b 55%, #50803a)";
document.body.append(canvas);
document.head.append(
  Object.assign(document.createElement("meta"), {
    name: "viewport",
    content: "width=device-width, viewport-fit=cover",
  }),
);

const done = [];
const page = new GamePage(canvas, { name: "A field", canFly: true });
const walk = walking(world, { canFly: true });
let state = walk.state;
let hour = 12;
page.addButton("Leave", () => done.push("leave"));
page.begin(world, {
  blocks: ["grass", "soil", "stone", "sand", "wood", "leaves", "brick", "glass", "lamp"],
  dig({ x, y }) {
    done.push(`dig ${x.toFixed(1)} ${y.toFixed(1)}`);
    return LEAVES;
  },
  place({ x, y }, block) {
    done.push(`place ${DEFAULT_BLOCKS.byId(block)?.name} ${x.toFixed(1)} ${y.toFixed(1)}`);
    return true;
  },
  keys: { KeyH: () => done.push("home") },
  sliders: [
    {
      label: "Time of day",
      min: 0,
      max: 24,
      step: 0.5,
      value: () => hour,
      text: (value) => `${value} h`,
      set: (value) => {
        hour = value;
      },
    },
  ],
});
requestAnimationFrame(function frame() {
  const seconds = page.seconds();
  state = walk.step(state, page.read(seconds), seconds);
  page.follow(state, walk.eyes(state.position));
  requestAnimationFrame(frame);
});
Object.assign(globalThis, {
  game: {
    page,
    world,
    done,
    /** Returns the pixels of a block's picture. */
    pictureOf(name) {
      const picture = blockPicture(looksOf(defaultLooks(), DEFAULT_BLOCKS), DEFAULT_BLOCKS.id(name), 64);
      return [...picture.getContext("2d").getImageData(0, 0, 64, 64).data];
    },
    get state() {
      return state;
    },
    get hour() {
      return hour;
    },
  },
});
