import { connect } from "@orthant/client/node";
import { box, flat, terrain } from "@orthant/core";
import { MemoryDisk } from "@orthant/disk";
import { decodeQuad, QUAD_WORDS, type Quad, quadCount } from "@orthant/mesh/volume";
import { createServer } from "@orthant/server";
import { type ViewedWorld, WorldView } from "@orthant/three";
import { type MeshPool, meshPool } from "@orthant/worker-pool/node";
import { createWorld, openWorld, type World } from "@orthant/world";
import { Mesh } from "three";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { complete, frameAt, type Point } from "./moved-view.ts";

const UP = 2;
const ROOF = box([-64, 300, -64], [64, 301, 64]);

describe("the light of a view", () => {
  let pool: MeshPool;

  beforeAll(() => {
    pool = meshPool({ workers: 1 });
  });
  afterAll(() => pool.close());

  function viewOf(world: ViewedWorld, viewDistance: number): WorldView {
    const view = new WorldView(world, { viewDistance, pool });
    onTestFinished(() => view.dispose());
    return view;
  }

  test("[L8] is taken by what was built high above in a world on disk, until it is removed", async () => {
    const disk = new MemoryDisk();
    const before = await createWorld(disk, { dimensions: 3, generator: flat({}) });
    await before.fill(ROOF, before.blocks.id("stone"));
    await before.set([0, 3, 0], before.blocks.id("lamp"));
    await before.close();
    const world = (await openWorld(disk)) as World<3>;
    onTestFinished(() => world.close());
    const view = viewOf(world, 24);
    await complete(view, [0, 6, 0]);
    expect(lightUnder(view, [20, 0, 20])).toEqual(await world.light([20, 0, 20]));
    expect(lightUnder(view, [20, 0, 20]).sky).toBe(0);

    await world.fill(ROOF, 0);
    await complete(view, [0, 6, 0]);
    expect(lightUnder(view, [20, 0, 20]).sky).toBe(15);

    await world.fill(ROOF, world.blocks.id("stone"));
    await complete(view, [0, 6, 0]);
    expect(lightUnder(view, [20, 0, 20]).sky).toBe(0);
  });

  test("[L9] is the same at the end, in whatever order the chunks of a server arrived", async () => {
    const world = await createWorld(new MemoryDisk(), { dimensions: 3, generator: terrain({ seed: 7n }) });
    onTestFinished(() => world.close());
    const { blocks } = world;
    // A shaft with a lamp, a roof over land, and a cave that a wall cuts in two.
    await world.fill(box([0, -20, 0], [3, 60, 3]), 0);
    await world.fill(box([-30, 70, -30], [10, 71, 10]), blocks.id("stone"));
    await world.fill(box([30, -10, -20], [60, 0, 20]), 0);
    await world.fill(box([44, -10, -20], [45, 0, 20]), blocks.id("stone"));
    await world.set([40, -8, 0], blocks.id("lamp"));
    const server = await createServer({ world, port: 0, logger: false });
    onTestFinished(() => server.close());
    const client = await connect(server.url, { dimensions: 3 });
    onTestFinished(() => client.close());

    const travelled = viewOf(client, 48);
    for (const place of [
      [-90, 90, 0],
      [60, 100, 60],
      [0, -30, 0],
    ] as const) {
      for (let frame = 0; frame < 100; frame++) await frameAt(travelled, place);
    }
    await complete(travelled, [20, 20, 0]);
    const fresh = viewOf(client, 48);
    await complete(fresh, [20, 20, 0]);
    expect(quadsOf(travelled, fresh)).toEqual(quadsOf(fresh, travelled));
  }, 120_000);
});

interface PlacedQuad extends Quad {
  readonly corner: Point;
}

/** All quads that a view draws. */
function* placedQuads(view: WorldView): Generator<PlacedQuad> {
  for (const child of view.children) {
    if (!(child instanceof Mesh)) continue;
    const corners = child.geometry.getAttribute("quad").array as Uint32Array;
    const quads = corners.filter((_, index) => index % (4 * QUAD_WORDS) < QUAD_WORDS);
    const corner: Point = child.position.toArray();
    for (let index = 0; index < quadCount(quads); index++) yield { ...decodeQuad(quads, index), corner };
  }
}

/** Describes the quads of the sections that another view has, too. Numbers of materials follow from the order of meshing. */
function quadsOf(view: WorldView, other: WorldView): ReadonlyMap<string, readonly string[]> {
  const found = new Map<string, string[]>();
  for (const { corner, material: _, ...quad } of placedQuads(view)) {
    const key = String(corner);
    const quads = found.get(key) ?? [];
    found.set(key, quads);
    quads.push(JSON.stringify(quad));
  }
  const common = new Set(other.children.map((child) => String(child.position.toArray())));
  return new Map(
    [...found]
      .filter(([key]) => common.has(key))
      .map(([key, quads]) => [key, quads.sort()] as const)
      .sort(),
  );
}

/** Returns the light on the ground under a voxel, where it is the same on all corners of a face. */
function lightUnder(view: WorldView, [x, y, z]: Point): { readonly sky: number; readonly block: number } {
  for (const { corner, voxel, side, width, height, lights } of placedQuads(view)) {
    const [left, floor, back] = [corner[0] + voxel[0], corner[1] + voxel[1], corner[2] + voxel[2]];
    const isUnder = side === UP && floor === y - 1 && x >= left && x < left + width && z >= back;
    if (!isUnder || z >= back + height) continue;
    const [light = 0] = lights;
    return { sky: light >> 4, block: light & 15 };
  }
  throw new Error(`there is no ground under ${x}, ${y}, ${z}`);
}
