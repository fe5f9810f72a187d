import { BoxGeometry, BufferAttribute, type BufferGeometry, Group, type Material, Mesh } from "three";
import { mergeGeometries } from "three/addons/utils/BufferGeometryUtils.js";
import { PART_COLOURS } from "./figure-material.ts";

/** A box: its size, and its middle from the joint at which its part turns. */
interface Box {
  readonly size: readonly [x: number, y: number, z: number];
  readonly middle: readonly [x: number, y: number, z: number];
  readonly colour: keyof typeof PART_COLOURS;
}

/** A part of a body: the joint at which it turns, and its boxes. All look to -z. */
interface Part {
  readonly name: string;
  readonly joint: readonly [x: number, y: number, z: number];
  readonly boxes: readonly Box[];
}

const eyes = (apart: number, height: number, front: number): readonly Box[] =>
  [-apart, apart].map((x) => ({ size: [0.07, 0.1, 0.02], middle: [x, height, front], colour: "eyes" }));
const limb = (name: string, joint: Part["joint"], size: Box["size"], colour: Box["colour"]): Part => ({
  name,
  joint,
  boxes: [{ size, middle: [0, -size[1] / 2, 0], colour }],
});

/** Of six boxes, 1.8 voxels high. */
const PERSON: readonly Part[] = [
  {
    name: "head",
    joint: [0, 1.35, 0],
    boxes: [{ size: [0.45, 0.45, 0.45], middle: [0, 0.225, 0], colour: "second" }, ...eyes(0.1, 0.25, -0.23)],
  },
  {
    name: "body",
    joint: [0, 0.68, 0],
    boxes: [{ size: [0.46, 0.66, 0.26], middle: [0, 0.33, 0], colour: "first" }],
  },
  limb("arm right", [0.32, 1.32, 0], [0.17, 0.62, 0.22], "first"),
  limb("arm left", [-0.32, 1.32, 0], [0.17, 0.62, 0.22], "first"),
  limb("leg left", [-0.12, 0.69, 0], [0.21, 0.69, 0.24], "second"),
  limb("leg right", [0.12, 0.69, 0], [0.21, 0.69, 0.24], "second"),
];

/** A head, a body and four legs, about a voxel high. */
const ANIMAL: readonly Part[] = [
  {
    name: "head",
    joint: [0, 0.82, -0.42],
    boxes: [
      { size: [0.36, 0.36, 0.4], middle: [0, 0.06, -0.16], colour: "second" },
      ...eyes(0.1, 0.12, -0.365),
    ],
  },
  {
    name: "body",
    joint: [0, 0.42, 0],
    boxes: [{ size: [0.52, 0.46, 0.92], middle: [0, 0.23, 0], colour: "first" }],
  },
  limb("leg front left", [-0.16, 0.44, -0.32], [0.16, 0.44, 0.16], "second"),
  limb("leg front right", [0.16, 0.44, -0.32], [0.16, 0.44, 0.16], "second"),
  limb("leg back right", [0.16, 0.44, 0.32], [0.16, 0.44, 0.16], "second"),
  limb("leg back left", [-0.16, 0.44, 0.32], [0.16, 0.44, 0.16], "second"),
];

/** Height of the name above the feet. */
export const NAME_HEIGHTS = { person: 2.15, animal: 1.45 } as const;

const geometries = new Map<Part, BufferGeometry>();

/** Returns a body with parts that can turn, at its feet, looking to -z. All bodies share their geometry. */
export function bodyOf(kind: "person" | "animal", material: Material): Group {
  const body = new Group();
  for (const part of kind === "person" ? PERSON : ANIMAL) {
    const mesh = new Mesh(geometryOf(part), material);
    mesh.name = part.name;
    mesh.position.set(...part.joint);
    body.add(mesh);
  }
  return body;
}

function geometryOf(part: Part): BufferGeometry {
  const known = geometries.get(part);
  if (known !== undefined) return known;
  const boxes = part.boxes.map(({ size, middle, colour }) => {
    const box = new BoxGeometry(...size).translate(...middle);
    const count = box.getAttribute("position").count;
    box.setAttribute("part", new BufferAttribute(new Float32Array(count).fill(PART_COLOURS[colour]), 1));
    return box;
  });
  const geometry = mergeGeometries(boxes);
  geometries.set(part, geometry);
  return geometry;
}
