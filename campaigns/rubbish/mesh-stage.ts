import { chunkBox } from "@orthant/core";
import { MemoryDisk } from "@orthant/disk";
import { BlockAppearance, buildMesh, castRay, findPath, moveBody, moveBox } from "@orthant/mesh";
import { defaultLooks, looksOf } from "@orthant/mesh/looks";
import type { Prng } from "@orthant/testkit";
import { createWorld } from "@orthant/world";
import { constructorTargets, functionTargets, type Stage } from "./stage.ts";
import * as valid from "./valid-values.ts";

/** Builds meshes, casts rays and moves boxes in a world that is in memory. */
export const meshStage: Stage = {
  name: "mesh",
  async open(prng) {
    const world = await createWorld(
      new MemoryDisk(),
      { dimensions: 3, generator: valid.generator(prng) },
      { autosave: false },
    );
    await world.loadChunks(chunkBox([-3, -3, -3], [4, 4, 4]));
    const looks = Object.freeze(looksOf(defaultLooks(), world.blocks));
    const appearance = new BlockAppearance(world.blocks);
    const point = (random: Prng) => valid.vector(random, 3);
    return {
      targets: [
        ...functionTargets({
          buildMesh: [
            buildMesh,
            (random) => [
              world,
              valid.chunkPosition(random, 3),
              {
                isShaded: true,
                isExact: false,
                unloaded: "air",
                light: new Uint8Array(18 ** 3),
                ...(random.chance(0.5) ? { looks } : { appearance }),
              },
            ],
          ],
          castRay: [
            castRay,
            (random) => [world, point(random), point(random), 8, { stopsAt: (block: number) => block > 0 }],
          ],
          findPath: [
            findPath,
            (random) => [
              world,
              point(random),
              point(random),
              {
                ...{ height: 2, climb: 1, fall: 3, visits: 100, unloaded: "air" },
                ...{ isSolid: (block: number) => block > 0, isLiquid: (block: number) => block === 3 },
              },
            ],
          ],
          moveBody: [
            moveBody,
            (random) => [
              world,
              { position: point(random), size: [0.6, 1.8, 0.6], velocity: [0, -1, 0] },
              {
                ...{ walk: [1, 0, 0.5], seconds: 0.05, jumpSpeed: 8, stepHeight: 1, gravity: 28 },
                ...{ isSolid: (block: number) => block > 0, isLiquid: (block: number) => block === 3 },
                unloaded: "air",
              },
            ],
          ],
          moveBox: [
            moveBox,
            (random) => [
              world,
              { position: point(random), size: [0.6, 1.8, 0.6] },
              [0.5, -1, 0.25],
              { isSolid: (block: number) => block > 0, unloaded: "air", stepHeight: 0.5 },
            ],
          ],
        }),
        ...constructorTargets({ BlockAppearance: [BlockAppearance, () => [world.blocks, {}]] }),
      ],
      finish: async () => {
        await world.close();
        return [];
      },
    };
  },
};
