import type { BlockProperties } from "@orthant/core";
import type { ModelQuad } from "../block-looks.ts";
import {
  ALL_SIDE_NAMES,
  AROUND,
  boxQuads,
  boxSide,
  type Faces,
  FULL,
  type ModelPoint,
  SIDES,
  type SideName,
  tiltedQuads,
  turnedQuads,
} from "./quads.ts";

/** Builds the quads of a model for a block with certain values of its properties. */
export type Model = (faces: Faces, properties: BlockProperties) => readonly ModelQuad[];

/** Values of a property that say that there is no connection to that side. */
const UNCONNECTED: ReadonlySet<string | undefined> = new Set([undefined, "false", "none", "no", "0"]);
const PLANT_EDGE = 0.8;
const LADDER_GAP = 1;
const LAYERS_MAX = 8;
const WALL_TORCH_DEGREES = -22.5;
const UPPER: ReadonlySet<string | undefined> = new Set(["top", "upper"]);

/** The name of a model. */
export type ModelName =
  | "cube"
  | "slab"
  | "stairs"
  | "cross"
  | "post"
  | "fence"
  | "pane"
  | "carpet"
  | "torch"
  | "ladder"
  | "door";

/** The models that look packs can name. Without properties, each has the form that most blocks of its kind have. */
export const MODELS: Readonly<Record<ModelName, Model>> = {
  cube: (faces, properties) => turnedBy(cubeQuads(faces), properties),
  slab(faces, { type, half }) {
    const kind = type ?? half;
    if (kind === "double") return cubeQuads(faces);
    return UPPER.has(kind)
      ? boxQuads(faces, [0, 8, 0], [FULL, FULL, FULL])
      : boxQuads(faces, [0, 0, 0], [FULL, 8, FULL]);
  },
  stairs(faces, properties) {
    const { half, shape = "straight" } = properties;
    const boxes = STAIRS.get(shape) ?? STRAIGHT;
    const quads = boxes.flatMap(([from, to, sides]) =>
      UPPER.has(half)
        ? boxQuads(faces, upsideDown(from, to[1]), upsideDown(to, from[1]), sides.map(overturned))
        : boxQuads(faces, from, to, sides),
    );
    return turnedQuads(quads, { x: 0, y: turnsOf(properties["facing"]), isLocked: true });
  },
  cross(faces) {
    const [near, far] = [PLANT_EDGE, FULL - PLANT_EDGE];
    const across = (["north", "south"] as const).flatMap((name) => {
      const texture = faces[SIDES[name]];
      if (texture === undefined) return [];
      return [boxSide(SIDES[name], [near, 0, 8], [far, FULL, 8], texture, [0, 0, FULL, FULL])];
    });
    return [45, -45].flatMap((degrees) => tiltedQuads(across, [8, 8, 8], 1, degrees, Math.SQRT2));
  },
  post: (faces, properties) => turnedBy(boxQuads(faces, [6, 0, 6], [10, FULL, 10]), properties),
  fence(faces, properties) {
    const arms = connectionsOf(properties) ?? AROUND;
    const rails = [6, 12].flatMap((y) =>
      boxQuads(faces, [7, y, 0], [9, y + 3, 6], ["east", "west", "up", "down", "north"]),
    );
    return [...boxQuads(faces, [6, 0, 6], [10, FULL, 10]), ...arms.flatMap((arm) => turnedTo(rails, arm))];
  },
  pane(faces, properties) {
    const arms = connectionsOf(properties) ?? acrossOf(properties);
    const upright = ALL_SIDE_NAMES.filter((name) => !(arms as readonly SideName[]).includes(name));
    const arm = boxQuads(faces, [7, 0, 0], [9, FULL, 7], ["east", "west", "up", "down", "north"]);
    return [
      ...boxQuads(faces, [7, 0, 7], [9, FULL, 9], upright),
      ...arms.flatMap((name) => turnedTo(arm, name)),
    ];
  },
  carpet(faces, { layers }) {
    const height = layers === undefined ? 1 : 2 * Math.min(LAYERS_MAX, Math.max(1, Number(layers) || 1));
    return boxQuads(faces, [0, 0, 0], [FULL, height, FULL]);
  },
  torch(faces, { facing }) {
    if (facing === undefined || !isAround(facing)) return torchQuads(faces, [7, 0, 7]);
    const leaning = tiltedQuads(torchQuads(faces, [7, 3.5, 15]), [8, 3.5, FULL], 0, WALL_TORCH_DEGREES);
    return turnedTo(leaning, facing);
  },
  ladder(faces, { facing }) {
    const at = FULL - LADDER_GAP;
    const quads = boxQuads(faces, [0, 0, at], [FULL, FULL, at], ["north", "south"]);
    return turnedQuads(quads, { x: 0, y: turnsOf(facing), isLocked: false });
  },
  door(faces, { facing, open, hinge }) {
    const quads = boxQuads(faces, [0, 0, 13], [FULL, FULL, FULL]);
    const swing = UNCONNECTED.has(open) ? 0 : hinge === "right" ? 3 : 1;
    return turnedQuads(quads, { x: 0, y: turnsOf(facing) + swing, isLocked: false });
  },
};

/** Returns boxes that are turned like a cube by `facing` or `axis`. */
export function turnedBy(quads: readonly ModelQuad[], { facing, axis }: BlockProperties): ModelQuad[] {
  if (facing === "up") return turnedQuads(quads, { x: 3, y: 0, isLocked: false });
  if (facing === "down") return turnedQuads(quads, { x: 1, y: 0, isLocked: false });
  if (facing !== undefined) return turnedQuads(quads, { x: 0, y: turnsOf(facing), isLocked: false });
  if (axis === "x") return turnedQuads(quads, { x: 1, y: 1, isLocked: false });
  return turnedQuads(quads, { x: axis === "z" ? 1 : 0, y: 0, isLocked: false });
}

type StairPart = readonly [from: ModelPoint, to: ModelPoint, sides: readonly SideName[]];

const BASE: StairPart = [
  [0, 0, 0],
  [FULL, 8, FULL],
  ["east", "west", "down", "south", "north"],
];
const BACK: StairPart = [
  [0, 8, 0],
  [FULL, FULL, 8],
  ["east", "west", "up", "north"],
];
const step = (from: ModelPoint, to: ModelPoint, ...sides: readonly SideName[]): StairPart => [
  from,
  to,
  sides,
];

const STRAIGHT: readonly StairPart[] = [
  BASE,
  step([0, 0, 8], [FULL, 8, FULL], "up"),
  BACK,
  step([0, 8, 0], [FULL, FULL, 8], "south"),
];

/** The boxes of stairs in a corner that rise to the north, with the sides that no other box of them covers. */
const STAIRS: ReadonlyMap<string, readonly StairPart[]> = new Map([
  [
    "inner_left",
    [
      BASE,
      step([8, 0, 8], [FULL, 8, FULL], "up"),
      BACK,
      step([8, 8, 0], [FULL, FULL, 8], "south"),
      step([0, 8, 8], [8, FULL, FULL], "up", "west", "east", "south"),
    ],
  ],
  [
    "inner_right",
    [
      BASE,
      step([0, 0, 8], [8, 8, FULL], "up"),
      BACK,
      step([0, 8, 0], [8, FULL, 8], "south"),
      step([8, 8, 8], [FULL, FULL, FULL], "up", "west", "east", "south"),
    ],
  ],
  [
    "outer_left",
    [
      BASE,
      step([0, 0, 8], [FULL, 8, FULL], "up"),
      step([8, 0, 0], [FULL, 8, 8], "up"),
      step([0, 8, 0], [8, FULL, 8], "up", "north", "south", "east", "west"),
    ],
  ],
  [
    "outer_right",
    [
      BASE,
      step([0, 0, 8], [FULL, 8, FULL], "up"),
      step([0, 0, 0], [8, 8, 8], "up"),
      step([8, 8, 0], [FULL, FULL, 8], "up", "north", "south", "east", "west"),
    ],
  ],
]);

function cubeQuads(faces: Faces): ModelQuad[] {
  return boxQuads(faces, [0, 0, 0], [FULL, FULL, FULL]);
}

function upsideDown([x, , z]: ModelPoint, y: number): ModelPoint {
  return [x, FULL - y, z];
}

function overturned(side: SideName): SideName {
  return side === "up" ? "down" : side === "down" ? "up" : side;
}

function torchQuads(faces: Faces, [x, y, z]: ModelPoint): ModelQuad[] {
  const [from, to]: readonly [ModelPoint, ModelPoint] = [
    [x, y, z],
    [x + 2, y + 10, z + 2],
  ];
  const parts = { up: [7, 6, 9, 8], down: [7, 14, 9, 16] } as const;
  return ALL_SIDE_NAMES.flatMap((name) => {
    const texture = faces[SIDES[name]];
    const part = parts[name as "up"] ?? [7, 6, 9, FULL];
    return texture === undefined ? [] : [boxSide(SIDES[name], from, to, texture, part)];
  });
}

/** Returns the sides to which a block connects, or `undefined` if it has no properties that say it. */
function connectionsOf(properties: BlockProperties): readonly (typeof AROUND)[number][] | undefined {
  if (!AROUND.some((name) => properties[name] !== undefined)) return undefined;
  return AROUND.filter((name) => !UNCONNECTED.has(properties[name]));
}

/** Returns the ends of a pane that stands across its facing, or along its axis. */
function acrossOf({ facing, axis }: BlockProperties): readonly (typeof AROUND)[number][] {
  const isAlongZ = axis === "z" || facing === "east" || facing === "west";
  return isAlongZ ? ["north", "south"] : ["east", "west"];
}

function isAround(side: string): side is (typeof AROUND)[number] {
  return (AROUND as readonly string[]).includes(side);
}

/** Returns by how many quarters a model that faces north is turned. */
function turnsOf(facing: string | undefined): number {
  return facing === undefined ? 0 : Math.max(0, (AROUND as readonly string[]).indexOf(facing));
}

function turnedTo(quads: readonly ModelQuad[], side: (typeof AROUND)[number]): ModelQuad[] {
  return turnedQuads(quads, { x: 0, y: turnsOf(side), isLocked: true });
}
