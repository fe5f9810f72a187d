import { chunkShape, type Position } from "@orthant/core";
import { boxBetween, positionFrom, positionsLexicographic } from "@orthant/core/lattice";
import type { WorldState } from "@orthant/core/tree";
import { MemoryDisk } from "@orthant/disk";
import { Prng } from "@orthant/testkit";
import { createWorldEngine } from "@orthant/world/engine";
import { describe, expect, onTestFinished, test } from "vitest";

/** The voxels that the copies below may read or change. */
const ARENA = boxBetween([-6, -6, -6, 0], [6, 6, 6, 1]);

/** Returns the blocks and data of the arena, by position. */
function contentOf(state: WorldState): ReadonlyMap<string, readonly [number, string]> {
  const content = new Map<string, readonly [number, string]>();
  for (const voxel of positionsLexicographic(ARENA))
    content.set(String(voxel), [state.voxelAt(...voxel), String(state.dataAt(...voxel))]);
  return content;
}

describe("a copy", () => {
  test("moves each voxel of a box with its data, also onto itself and across borders of chunks", async () => {
    const prng = new Prng(41);
    const shape = chunkShape([4, 8, 2]);
    const world = await createWorldEngine(new MemoryDisk(), { shape }, { autosave: false });
    onTestFinished(() => world.close());
    for (let round = 0; round < 60; round++) {
      const position = (): Position => positionFrom((axis) => (axis === 3 ? 0 : prng.between(-6, 5)));
      await world.edit(
        Array.from({ length: 40 }, () => ({
          voxel: position(),
          block: prng.between(0, 5),
          ...(prng.chance(0.3) && { data: prng.bytes(prng.between(1, 4)) }),
        })),
      );
      const min = position();
      const to = position();
      const edges = positionFrom((axis) =>
        axis === 3 ? 1 : prng.between(1, 6 - Math.max(min[axis], to[axis], 0)),
      );
      const box = boxBetween(
        min,
        positionFrom((axis) => min[axis] + edges[axis]),
      );
      const expected = new Map(contentOf(world.state));
      for (const source of positionsLexicographic(box)) {
        const voxel = positionFrom((axis) => source[axis] - min[axis] + to[axis]);
        const { state } = world;
        expected.set(String(voxel), [state.voxelAt(...source), String(state.dataAt(...source))]);
      }
      const wasEqual = isSame(contentOf(world.state), expected);
      const { status } = await world.copy(box, to);
      expect(status, `round ${round}`).toBe(wasEqual ? "unchanged" : "applied");
      expect(isSame(contentOf(world.state), expected), `round ${round}: [${min}], ${edges} to [${to}]`).toBe(
        true,
      );
    }
  });

  test("a copy that brings more data into a chunk than fits is refused as a whole", async () => {
    const world = await createWorldEngine(
      new MemoryDisk(),
      { shape: chunkShape([16, 16, 16]) },
      { autosave: false },
    );
    onTestFinished(() => world.close());
    const full = (x: number) =>
      Array.from({ length: 8 }, (_, y) => ({
        voxel: [x, y, 0, 0] as const,
        block: 3,
        data: new Uint8Array(32_000),
      }));
    await world.edit(full(0));
    await world.edit(full(16));
    const { state } = world;
    await expect(world.copy(boxBetween([0, 0, 0, 0], [1, 8, 1, 1]), [17, 0, 0, 0])).rejects.toThrow(
      "ORT_LIMIT",
    );
    expect(world.state).toBe(state);
  });
});

function isSame(a: ReadonlyMap<string, unknown>, b: ReadonlyMap<string, unknown>): boolean {
  return JSON.stringify([...a]) === JSON.stringify([...b]);
}
