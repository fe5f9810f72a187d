import { box, chunkShape, type Dimensions, flat, type Position } from "@orthant/core";
import { crc32 } from "@orthant/core/bytes";
import { MemoryDisk } from "@orthant/disk";
import { FakeTime, Prng } from "@orthant/testkit";
import { type BlockArrays, createWorld, type World } from "@orthant/world";
import type { EngineEdit } from "@orthant/world/engine";
import { describe, expect, test } from "vitest";

const GROUND = flat({ top: 1, thickness: 2 });
const EDITS = 6;

/** Voxels and their blocks as a list, some of them several times. */
type Placements = readonly { readonly position: Position<Dimensions>; readonly block: number }[];

function placementsOf(prng: Prng, dimensions: Dimensions): Placements {
  const coordinate = (): number => prng.below(40) - 20;
  return Array.from({ length: prng.below(300) }, () => ({
    position: Array.from({ length: dimensions }, coordinate) as unknown as Position<Dimensions>,
    block: prng.below(3),
  }));
}

function arraysOf(placements: Placements): BlockArrays {
  return {
    positions: Int32Array.from(placements.flatMap(({ position }) => [...position])),
    blocks: Uint16Array.from(placements, ({ block }) => block),
  };
}

interface Run {
  readonly dimensions: Dimensions;
  readonly durability: "snapshot" | "journal";
  readonly isHeard: boolean;
}

/** Returns the files of a disk with their checksums. */
function filesOf(disk: MemoryDisk): readonly (readonly [path: string, checksum: number])[] {
  return Array.from(disk.image().files, ([path, bytes]) => [path, crc32(bytes)] as const);
}

/** Makes the same edits in one form. Returns everything that they caused: results, clocks, events and the files. */
async function traceOf(
  form: "list" | "arrays",
  { dimensions, durability, isHeard }: Run,
): Promise<unknown[]> {
  const prng = new Prng(dimensions);
  const disk = new MemoryDisk();
  let id = 1n;
  const options = { autosave: false, durability, time: new FakeTime(), random: () => id++ };
  const world: World = await createWorld(disk, { dimensions, generator: GROUND }, options);
  const trace: unknown[] = [];
  if (isHeard) world.onEdit(({ chunks, changes }) => trace.push(chunks, [...changes]));
  const { engine } = world;
  for (const name of ["edit", "editBlocks"] as const) {
    const original = engine[name].bind(engine) as (...args: unknown[]) => Promise<EngineEdit>;
    Object.assign(engine, {
      [name]: async (...args: unknown[]) => {
        const edit = await original(...args);
        trace.push(edit);
        return edit;
      },
    });
  }
  await world.setData(Array.from({ length: dimensions }, () => 3) as unknown as Position, "a note");
  for (let edit = 0; edit < EDITS; edit++) {
    const placements = placementsOf(prng, dimensions);
    for (const again of [placements, placements.slice(0, 1), placements.slice(0, 1)])
      trace.push(await world.edit(form === "list" ? again : arraysOf(again)));
    if (edit % 3 === 2) await world.save();
    // The journal is on the disk by now.
    trace.push(filesOf(disk));
  }
  await world.close();
  return [...trace, filesOf(disk)];
}

describe("arrays of blocks", () => {
  const runs = ([2, 3, 4] as const).flatMap((dimensions) =>
    (["snapshot", "journal"] as const).flatMap((durability) =>
      [false, true].map((isHeard) => ({ dimensions, durability, isHeard })),
    ),
  );
  test.each(runs)(
    "cause the same results, clocks, events and files as a list, with $dimensions axes, $durability, listener $isHeard",
    async (run) => {
      expect(await traceOf("arrays", run)).toEqual(await traceOf("list", run));
    },
  );

  test("are copied, so that the caller may reuse them", async () => {
    const world = await cubes();
    const positions = Int32Array.of(1, 2, 3);
    const blocks = Uint16Array.of(5);
    const edited = world.edit({ positions, blocks });
    positions[0] = 9;
    blocks[0] = 6;
    expect(await edited).toEqual({ status: "applied" });
    expect([await world.get([1, 2, 3]), await world.get([9, 2, 3])]).toEqual([5, 0]);
    await world.close();
  });

  test("without a voxel change nothing", async () => {
    const world = await cubes();
    const none = { positions: new Int32Array(), blocks: new Uint16Array() };
    expect(await world.edit(none)).toEqual({ status: "unchanged" });
    await world.close();
  });

  const one = { positions: Int32Array.of(1, 2, 3), blocks: Uint16Array.of(5) };
  test.each<[what: string, value: unknown, message: string]>([
    ["neither a list nor arrays", 7, "it is a list of { position, block }, or { positions, blocks }"],
    ["another field", { ...one, data: [] }, "there is no field data in placements"],
    [
      "positions as a list",
      { ...one, positions: [1, 2, 3] },
      "it is an Int32Array with x, y, z of each voxel",
    ],
    ["positions with fractions", { ...one, positions: Float64Array.of(1, 2.5, 3) }, "it is an Int32Array"],
    ["blocks of another width", { ...one, blocks: Uint8Array.of(5) }, "it is a Uint16Array"],
    ["no blocks", { positions: one.positions }, "placements.blocks is undefined"],
    ["a coordinate too few", { ...one, positions: Int32Array.of(1, 2) }, "3 numbers for 1 blocks"],
    ["a block too few", { ...one, blocks: new Uint16Array() }, "0 numbers for 0 blocks"],
    ["a proxy of positions", { ...one, positions: new Proxy(one.positions, {}) }, "it is an Int32Array"],
  ])("are refused with %s, before anything changes", async (_what, value, message) => {
    const world = await cubes();
    await expect(world.edit(value as BlockArrays)).rejects.toThrow(message);
    expect(await world.get([1, 2, 3])).toBe(0);
    await world.close();
  });

  test("are refused in too many chunks, with what to do", async () => {
    const world = await cubes();
    const count = 65_537;
    const positions = Int32Array.from({ length: count * 3 }, (_, at) => (at % 3 === 0 ? at * 8 : 0));
    await expect(world.edit({ positions, blocks: new Uint16Array(count) })).rejects.toThrow(
      /ORT_LIMIT: 65537 chunks of an edit exceed the limit of 65536: edit them in parts/,
    );
    await world.close();
  });

  test("are refused beside a layer of one voxel, with the voxel", async () => {
    const shape = chunkShape([16, 1, 16]);
    const world = await createWorld(new MemoryDisk(), {
      dimensions: 3,
      generator: GROUND,
      chunkShape: shape,
    });
    const positions = Int32Array.of(1, 0, 3, 4, 5, 6);
    await expect(world.edit({ positions, blocks: Uint16Array.of(1, 1) })).rejects.toThrow(
      "a voxel of placements.positions is [4, 5, 6]; chunks of this world have one voxel on y",
    );
    await world.close();
  });

  test("reach the ends of what an Int32Array can hold", async () => {
    const world = await cubes();
    const [least, most] = [-(2 ** 31), 2 ** 31 - 1];
    await world.edit({
      positions: Int32Array.of(least, 0, most, most, 0, least),
      blocks: Uint16Array.of(7, 8),
    });
    expect([await world.get([least, 0, most]), await world.get([most, 0, least])]).toEqual([7, 8]);
    await world.close();
  });

  test("keep the data of voxels whose type stays, and remove that of others", async () => {
    const world = await cubes();
    await world.fill(box([0, 8, 0], [2, 9, 1]), 5);
    for (const x of [0, 1]) await world.setData([x, 8, 0], { note: x });
    await world.edit({ positions: Int32Array.of(0, 8, 0, 1, 8, 0), blocks: Uint16Array.of(5, 6) });
    expect([await world.data([0, 8, 0]), await world.data([1, 8, 0])]).toEqual([{ note: 0 }, undefined]);
    await world.close();
  });
});

function cubes(): Promise<World<3>> {
  return createWorld(new MemoryDisk(), { dimensions: 3, generator: GROUND }, { autosave: false });
}
