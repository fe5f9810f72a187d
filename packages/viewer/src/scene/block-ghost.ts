import { AIR, type BlockCatalog, type Position } from "@orthant/core";
import { BufferAttribute, BufferGeometry, Color, Mesh, MeshBasicMaterial } from "three";
import type { BlockPicture } from "../edit/build-messages.ts";
import type { Slice } from "../slice/slice.ts";

/** Faces that a ghost has at most; of more blocks the rest is left out. */
const FACES_MAX = 200_000;
const OPACITY = 0.62;

/** In front of faces in the same place. */
const IN_FRONT = { polygonOffset: true, polygonOffsetFactor: -1, polygonOffsetUnits: -2 } as const;
/** Behind everything else that is translucent. */
const GHOST_ORDER = 5;
/** Only says how far away the nearest faces are; shared by all ghosts. */
const NEAREST = new MeshBasicMaterial({ colorWrite: false, transparent: true, ...IN_FRONT });

/** A side of a voxel: its direction, its corners, and how bright it is. */
interface Face {
  readonly step: readonly [right: number, up: number, back: number];
  readonly corners: readonly (readonly [right: number, up: number, back: number])[];
  readonly light: number;
}

const FACES: readonly Face[] = [
  face([1, 0, 0], [1, 0, 1], [1, 0, 0], [1, 1, 0], [1, 1, 1], 0.74),
  face([-1, 0, 0], [0, 0, 0], [0, 0, 1], [0, 1, 1], [0, 1, 0], 0.74),
  face([0, 1, 0], [0, 1, 1], [1, 1, 1], [1, 1, 0], [0, 1, 0], 1),
  face([0, -1, 0], [0, 0, 0], [1, 0, 0], [1, 0, 1], [0, 0, 1], 0.55),
  face([0, 0, 1], [0, 0, 1], [1, 0, 1], [1, 1, 1], [0, 1, 1], 0.86),
  face([0, 0, -1], [1, 0, 0], [0, 0, 0], [0, 1, 0], [1, 1, 0], 0.86),
];

/** Returns a translucent mesh of blocks with the lowest corner of their part in a slice at the origin; empty outside of it. */
export function blockGhost(
  picture: BlockPicture,
  at: Position,
  slice: Slice,
  blocks: BlockCatalog,
): Mesh<BufferGeometry, MeshBasicMaterial> {
  const { positions, colours, indices } = facesOf(picture, at, slice, blocks);
  const geometry = new BufferGeometry();
  geometry.setAttribute("position", new BufferAttribute(positions, 3));
  geometry.setAttribute("color", new BufferAttribute(colours, 3));
  geometry.setIndex(new BufferAttribute(indices, 1));
  // What is nearest is drawn alone: without it, walls would shine through each other.
  const nearest = new Mesh(geometry, NEAREST);
  nearest.renderOrder = GHOST_ORDER - 1;
  const material = new MeshBasicMaterial({
    vertexColors: true,
    transparent: true,
    opacity: OPACITY,
    ...IN_FRONT,
    fog: false,
  });
  const ghost = new Mesh(geometry, material);
  ghost.renderOrder = GHOST_ORDER;
  ghost.add(nearest);
  return ghost;
}

interface GhostFaces {
  readonly positions: Float32Array<ArrayBuffer>;
  readonly colours: Float32Array<ArrayBuffer>;
  readonly indices: Uint32Array<ArrayBuffer>;
}

function facesOf(
  { extents, blocks }: BlockPicture,
  at: Position,
  { right, up, back, hidden, at: depth }: Slice,
  catalog: BlockCatalog,
): GhostFaces {
  const layer = depth - at[hidden];
  const strides = [1, extents[0], extents[0] * extents[1], extents[0] * extents[1] * extents[2]] as const;
  const size = [extents[right], extents[up], extents[back]] as const;
  const blockAt = (x: number, y: number, z: number): number => {
    if (blocks === undefined || layer < 0 || layer >= extents[hidden]) return AIR;
    if (x < 0 || y < 0 || z < 0 || x >= size[0] || y >= size[1] || z >= size[2]) return AIR;
    const index = x * strides[right] + y * strides[up] + z * strides[back] + layer * strides[hidden];
    return blocks[index] ?? AIR;
  };
  const points: number[] = [];
  const shades: number[] = [];
  const colour = new Color();
  let count = 0;
  for (let z = 0; z < size[2]; z++)
    for (let y = 0; y < size[1]; y++)
      for (let x = 0; x < size[0]; x++) {
        const block = blockAt(x, y, z);
        if (block === AIR) continue;
        for (const { step, corners, light } of FACES) {
          if (blockAt(x + step[0], y + step[1], z + step[2]) !== AIR || count === FACES_MAX) continue;
          count++;
          colour.setHex(catalog.colourOf(block)).multiplyScalar(light);
          for (const corner of corners) {
            points.push(x + corner[0], y + corner[1], z + corner[2]);
            shades.push(colour.r, colour.g, colour.b);
          }
        }
      }
  const indices = new Uint32Array(count * 6);
  for (let index = 0; index < count; index++)
    indices.set(
      [0, 1, 2, 0, 2, 3].map((corner) => index * 4 + corner),
      index * 6,
    );
  return { positions: Float32Array.from(points), colours: Float32Array.from(shades), indices };
}

function face(
  step: Face["step"],
  a: Face["step"],
  b: Face["step"],
  c: Face["step"],
  d: Face["step"],
  light: number,
): Face {
  return { step, corners: [a, b, c, d], light };
}
