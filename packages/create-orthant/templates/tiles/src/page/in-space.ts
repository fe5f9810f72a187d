import type { FiguresWorld, MarkedWorld } from "@orthant/three";
import { AIR, type ClientWorld, type Entity, type Vector } from "orthant/client";

/** A world of tiles as one in space, one voxel deep, with all its players. This page's own one is at `position`. */
export function inSpace(world: ClientWorld<2>, position: () => Vector<2>): FiguresWorld & MarkedWorld {
  return {
    get blocks() {
      return world.blocks;
    },
    voxelAt: ([x, y, z]) => (z === 0 ? world.voxelAt([x, y]) : AIR),
    lightAt: ([x, y]) => world.lightAt([x, y]),
    entitiesAt: () => [
      ...world.entitiesAt().map(({ velocity: _, ...entity }) => ({ ...entity, ...pose(entity.position) })),
      { ...SELF, ...pose(position()) },
    ],
  };
}

const SELF = {
  id: -1n,
  isPlayer: true,
  kind: 0,
  scale: 1,
  block: 0,
  name: "",
  tags: [],
  data: new Uint8Array(),
};

/** In the middle of a tile's depth, looking to where the player walks. */
function pose([x, y]: Vector<2>): Pick<Entity<3>, "position" | "orientation"> {
  return { position: [x, y, 0.5], orientation: [0, 0, 0, 0] };
}
