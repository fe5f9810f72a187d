import { AIR, DEFAULT_BLOCKS, type Dimensions, type Position } from "@orthant/core";
import { findPath, type PathOptions, type VoxelReader } from "@orthant/mesh";
import { Prng } from "@orthant/testkit";
import { describe, expect, test } from "vitest";
import { STONE } from "./random-world.ts";
import { SHAPED_BLOCKS } from "./shaped-blocks.ts";

const WATER = 5;

function worldOf<D extends Dimensions>(
  dimensions: D,
  blockAt: (...position: readonly number[]) => number | undefined,
): VoxelReader<D> {
  return { dimensions, blocks: DEFAULT_BLOCKS, voxelAt: (position) => blockAt(...position) };
}

/** Walls of a plan that is seen from above: `#` is a wall of three voxels, a digit the height of the ground. */
function planned(plan: readonly string[]): VoxelReader<3> {
  return worldOf(3, (x, y, z) => {
    const sign = plan[z as number]?.[x as number] ?? "#";
    const height = sign === "#" ? 3 : sign === "~" ? -2 : Number(sign);
    if ((y as number) < height) return STONE;
    return sign === "~" && (y as number) < 0 ? WATER : AIR;
  });
}

const lengths = ({ steps }: { readonly steps: readonly unknown[] }): number => steps.length;

describe("a path", () => {
  test("leads around walls, by the shortest way", () => {
    const world = planned(["00000", "0###0", "0#000", "0###0", "00000"]);
    const path = findPath(world, [2, 0, 0], [2, 0, 2]);
    expect(path).toEqual({
      steps: [
        [3, 0, 0],
        [4, 0, 0],
        [4, 0, 1],
        [4, 0, 2],
        [3, 0, 2],
        [2, 0, 2],
      ],
      isComplete: true,
    });
  });

  test("climbs and falls as far as it may", () => {
    const stairs = planned(["01233"]);
    expect(lengths(findPath(stairs, [0, 0, 0], [4, 3, 0]))).toBe(4);
    expect(findPath(planned(["0033"]), [0, 0, 0], [3, 3, 0])).toEqual({
      steps: [[1, 0, 0]],
      isComplete: false,
    });
    expect(findPath(planned(["0022"]), [0, 0, 0], [3, 2, 0], { climb: 2 }).isComplete).toBe(true);
    expect(findPath(planned(["3300"]), [0, 3, 0], [3, 0, 0]).isComplete).toBe(true);
    expect(findPath(planned(["3300"]), [0, 3, 0], [3, 0, 0], { fall: 2 }).isComplete).toBe(false);
  });

  test("leads over slabs as high as they are, through open doors and not through closed ones", () => {
    const [slab, door] = [SHAPED_BLOCKS.id("slab"), SHAPED_BLOCKS.id("door")];
    const corridor = (blockAt: (x: number, y: number) => number): VoxelReader<3> => ({
      ...{ dimensions: 3, blocks: SHAPED_BLOCKS },
      voxelAt: ([x, y, z]) => (y < 0 || z !== 0 || x < 0 || x > 4 ? STONE : blockAt(x, y)),
    });
    const wayThrough = (block: number) =>
      findPath(
        corridor((x, y) => (x === 2 && y < 2 ? block : AIR)),
        [0, 0, 0],
        [4, 0, 0],
      ).isComplete;
    const gate = SHAPED_BLOCKS.id("gate");
    expect([door, door + 1, gate, gate + 1].map(wayThrough)).toEqual([false, true, false, true]);
    // The ground is 0, `first`, 1.5, 1.5, 1.5 voxels high.
    const slope = (first: number) =>
      corridor((x, y) => (x === 1 && y === 0 ? first : x < 2 || y > 1 ? AIR : y === 1 ? slab : STONE));
    const climb = (world: VoxelReader<3>) => findPath(world, [0, 0, 0], [4, 1, 0]).steps;
    expect(climb(slope(slab))).toEqual([
      [1, 0, 0],
      [2, 1, 0],
      [3, 1, 0],
      [4, 1, 0],
    ]);
    expect(climb(slope(AIR))).toEqual([[1, 0, 0]]);
    const low = (ceiling: number) =>
      findPath(
        corridor((x, y) => (x === 2 && y === 0 ? slab : x === 2 && y === 2 ? ceiling : AIR)),
        [0, 0, 0],
        [4, 0, 0],
      ).isComplete;
    expect([low(slab + 1), low(STONE), low(slab)], "a slab at the top, stone, a slab at the bottom").toEqual([
      ...[true, false, false],
    ]);
  });

  test("needs space for the whole walker, and above it where it climbs", () => {
    const tunnel = (ceiling: number) =>
      worldOf(3, (x, y, z) =>
        z !== 0 || (y as number) < ((x as number) > 2 ? 1 : 0) || (y as number) >= ceiling ? STONE : AIR,
      );
    const to: Position<3> = [5, 1, 0];
    expect(findPath(tunnel(3), [0, 0, 0], to).isComplete).toBe(true);
    expect(findPath(tunnel(2), [0, 0, 0], to).isComplete).toBe(false);
    expect(findPath(tunnel(2), [0, 0, 0], to, { height: 1 }).isComplete).toBe(true);
  });

  test("swims only where it can", () => {
    const pond = planned(["0~~0"]);
    const swims: PathOptions = { isSolid: (block) => block === STONE, isLiquid: (block) => block === WATER };
    expect(findPath(pond, [0, 0, 0], [3, 0, 0], { ...swims, fall: 1 }).isComplete).toBe(true);
    const dry = { isSolid: (block: number) => block === STONE, fall: 1 };
    expect(findPath(pond, [0, 0, 0], [3, 0, 0], dry).isComplete).toBe(false);
  });

  test("costs no more than it may, and then leads as near as it has come", () => {
    let looks = 0;
    const plain = worldOf(3, (_x, y) => {
      looks++;
      return (y as number) < 0 ? STONE : AIR;
    });
    const { steps, isComplete } = findPath(plain, [0, 0, 0], [1_000, 0, 0], { visits: 50 });
    expect([steps.length, isComplete]).toEqual([49, false]);
    expect(looks).toBeLessThan(50 * 4 * 12);
  });

  test("stops where nothing is loaded", () => {
    const half = worldOf(3, (x, y) => ((x as number) > 3 ? undefined : (y as number) < 0 ? STONE : AIR));
    expect(findPath(half, [0, 0, 0], [9, 0, 0]).steps.at(-1)).toEqual([3, 0, 0]);
  });

  test("is as short as that of a plain search in random mazes, in two, three and four dimensions", () => {
    const prng = new Prng(5);
    for (let round = 0; round < 60; round++) {
      const dimensions = prng.pick<Dimensions>([2, 3, 4]);
      const walls = new Set<string>();
      const size = dimensions === 2 ? 12 : dimensions === 3 ? 7 : 4;
      const key = (position: readonly number[]): string => position.filter((_, axis) => axis !== 1).join();
      const cells = Array.from({ length: size ** (dimensions - 1) }, (_, at) =>
        Array.from({ length: dimensions - 1 }, (_unused, axis) => Math.floor(at / size ** axis) % size),
      );
      for (const cell of cells) if (prng.chance(0.3)) walls.add(cell.join());
      const world = worldOf(dimensions, (...position) => {
        const isInside = position.every((at, axis) => axis === 1 || (at >= 0 && at < size));
        if ((position[1] as number) < 0) return STONE;
        return isInside && !walls.has(key(position)) ? AIR : STONE;
      }) as VoxelReader<Dimensions>;
      const place = (cell: readonly number[]) =>
        [cell[0], 0, ...cell.slice(1)] as unknown as Position<Dimensions>;
      const [from, to] = [prng.pick(cells), prng.pick(cells)];
      walls.delete(from.join());
      walls.delete(to.join());
      const reached = new Map([[from.join(), 0]]);
      const queue = [from];
      for (let cell = queue.shift(); cell !== undefined; cell = queue.shift())
        for (const axis of cell.keys())
          for (const step of [-1, 1]) {
            const next = cell.map((at, along) => (along === axis ? at + step : at));
            const isFree = next.every((at) => at >= 0 && at < size) && !walls.has(next.join());
            if (!isFree || reached.has(next.join())) continue;
            reached.set(next.join(), (reached.get(cell.join()) as number) + 1);
            queue.push(next);
          }
      const path = findPath(world, place(from), place(to));
      const least = reached.get(to.join());
      expect(path.isComplete).toBe(least !== undefined);
      if (least !== undefined) expect(path.steps.length).toBe(least);
    }
  });

  test.each<[options: object, message: string]>([
    [{ visits: 0 }, "options.visits is 0"],
    [{ height: 0.5 }, "options.height is 0.5"],
    [{ jump: 1 }, "there is no field jump in options"],
  ])("is not searched with %j", (options, message) => {
    expect(() => findPath(planned(["0"]), [0, 0, 0], [0, 0, 0], options as never)).toThrow(message);
  });
});
