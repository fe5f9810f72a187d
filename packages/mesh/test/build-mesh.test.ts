import {
  BlockCatalog,
  type Chunk,
  CUBE_CHUNKS,
  chunkFromVoxels,
  chunkShape,
  DEFAULT_BLOCKS,
  emptyChunk,
  isOrthantError,
  type Position,
  TILE_CHUNKS,
  uniformChunk,
} from "@orthant/core";
import { BlockAppearance, buildMesh, type ChunkMesh, type MeshArrays, type MeshSource } from "@orthant/mesh";
import { defaultLooks, looksOf, plainLooks } from "@orthant/mesh/looks";
import { Prng } from "@orthant/testkit";
import { describe, expect, test } from "vitest";
import { SHAPED_BLOCKS } from "./shaped-blocks.ts";

const STONE = 1;
const WATER = 5;
const LAMP = 13;
const SMALL = chunkShape([4, 5, 3, 1]);

/** Returns a world whose chunks are made on demand. */
function worldOf(chunkAt: (position: Position<3>) => Chunk | undefined, shape = CUBE_CHUNKS): MeshSource<3> {
  return { dimensions: 3, chunkShape: shape, blocks: DEFAULT_BLOCKS, chunkAt };
}

const solidBelow = worldOf(([, y]) => (y < 0 ? uniformChunk(4096, STONE) : emptyChunk(4096)));

function built(mesh: ChunkMesh | undefined): ChunkMesh {
  if (mesh === undefined) throw new Error("there is no mesh");
  return mesh;
}

/** Returns the voxel behind each unit face that the triangles of a mesh cover, in world coordinates, with its side. */
function facesOf({ origin }: ChunkMesh, { positions, normals, indices }: MeshArrays): readonly string[] {
  const faces: string[] = [];
  for (let at = 0; at < indices.length; at += 6) {
    const corners = [...new Set(indices.subarray(at, at + 6))].map((vertex) => [
      // Faces reach over their edges a little.
      ...positions.subarray(vertex * 3, vertex * 3 + 3).map(Math.round),
    ]);
    const normal = [...normals.subarray((indices[at] as number) * 3, (indices[at] as number) * 3 + 3)];
    const low = [0, 1, 2].map((axis) => Math.min(...corners.map((corner) => corner[axis] as number)));
    const high = [0, 1, 2].map((axis) => Math.max(...corners.map((corner) => corner[axis] as number)));
    const axis = normal.findIndex((part) => part !== 0);
    low[axis] = (low[axis] as number) - ((normal[axis] as number) > 0 ? 1 : 0);
    high[axis] = (low[axis] as number) + 1;
    for (let z = low[2] as number; z < (high[2] as number); z++)
      for (let y = low[1] as number; y < (high[1] as number); y++)
        for (let x = low[0] as number; x < (high[0] as number); x++)
          faces.push(`${[x + origin[0], y + origin[1], z + origin[2]]} ${normal}`);
  }
  return faces.sort();
}

const NORMALS = [0, 1, 2].flatMap((axis) =>
  [1, -1].map((sign) => [0, 0, 0].map((_, at) => (at === axis ? sign : 0))),
);

describe("a chunk's mesh", () => {
  test("covers exactly the visible faces, each once, for any voxels", () => {
    const prng = new Prng(8);
    for (let round = 0; round < 60; round++) {
      const share = [5, 30, 60, 95][round % 4] as number;
      const chunks = new Map<string, Uint16Array>();
      const voxelsAt = (position: Position<3>): Uint16Array => {
        const known = chunks.get(String(position));
        if (known !== undefined) return known;
        const made = Uint16Array.from({ length: SMALL.volume }, () =>
          prng.below(100) < share ? prng.pick([STONE, LAMP, 900]) : prng.pick([0, 0, 0, WATER]),
        );
        chunks.set(String(position), made);
        return made;
      };
      const world = worldOf((position) => chunkFromVoxels(voxelsAt(position)), SMALL);
      const blockAt = (at: readonly number[]): number => {
        const [a = 1, b = 1, c = 1] = SMALL.extents;
        const [x = 0, y = 0, z = 0] = at;
        const chunk: Position<3> = [Math.floor(x / a), Math.floor(y / b), Math.floor(z / c)];
        return voxelsAt(chunk)[x - chunk[0] * a + a * (y - chunk[1] * b + b * (z - chunk[2] * c))] as number;
      };
      const position: Position<3> = [prng.between(-2, 2), prng.between(-2, 2), prng.between(-2, 2)];
      const mesh = built(buildMesh(world, position, { isShaded: round % 2 === 0 }));
      const [opaque, transparent]: [string[], string[]] = [[], []];
      const isOpaque = (block: number): boolean => block !== 0 && block !== WATER;
      for (let index = 0; index < SMALL.volume; index++) {
        const [a, b] = SMALL.extents;
        const local = [index % a, Math.floor(index / a) % b, Math.floor(index / a / b)];
        const voxel = local.map((part, axis) => part + (mesh.origin[axis] as number));
        const block = blockAt(voxel);
        for (const normal of NORMALS) {
          const beside = blockAt(voxel.map((part, axis) => part + (normal[axis] as number)));
          if (isOpaque(block) && !isOpaque(beside)) opaque.push(`${voxel} ${normal}`);
          if (block === WATER && beside === 0) transparent.push(`${voxel} ${normal}`);
        }
      }
      expect(facesOf(mesh, mesh.opaque), `round ${round}`).toEqual(opaque.sort());
      expect(facesOf(mesh, mesh.transparent), `round ${round}`).toEqual(transparent.sort());
    }
  });

  test("has the boxes of a block with a shape, which hides only what they cover", () => {
    const [slab, open] = [SHAPED_BLOCKS.id("slab"), SHAPED_BLOCKS.id("gate", { open: "yes" })];
    const row = chunkFromVoxels(
      Uint16Array.from({ length: 4096 }, (_, index) =>
        index === 1 ? slab : index === 2 ? STONE : index === 9 ? open : 0,
      ),
    );
    const world: MeshSource<3> = {
      ...worldOf((position) => (position.every((part) => part === 0) ? row : emptyChunk(4096))),
      blocks: SHAPED_BLOCKS,
    };
    for (const looks of [undefined, plainLooks(SHAPED_BLOCKS), looksOf(defaultLooks(), SHAPED_BLOCKS)]) {
      const mesh = built(buildMesh(world, [0, 0, 0], { isExact: true, ...(looks && { looks }) }));
      const { positions, normals, blocks } = mesh.opaque;
      const faces: string[] = [];
      for (let at = 0; at < blocks.length; at += 4) {
        const along = [0, 1, 2].map((axis) =>
          [0, 1, 2, 3].map((corner) => positions[(at + corner) * 3 + axis] as number),
        );
        const [low, high] = [
          along.map((parts) => Math.min(...parts)),
          along.map((parts) => Math.max(...parts)),
        ];
        faces.push(
          `${blocks[at] === slab ? "slab" : blocks[at]} ${normals.subarray(at * 3, at * 3 + 3)}: ${low} to ${high}`,
        );
      }
      expect(faces.sort()).toEqual([
        "1 -1,0,0: 2,0,0 to 2,1,1",
        "1 0,-1,0: 2,0,0 to 3,0,1",
        "1 0,0,-1: 2,0,0 to 3,1,0",
        "1 0,0,1: 2,0,1 to 3,1,1",
        "1 0,1,0: 2,1,0 to 3,1,1",
        "1 1,0,0: 3,0,0 to 3,1,1",
        "slab -1,0,0: 1,0,0 to 1,0.5,1",
        "slab 0,-1,0: 1,0,0 to 2,0,1",
        "slab 0,0,-1: 1,0,0 to 2,0.5,0",
        "slab 0,0,1: 1,0,1 to 2,0.5,1",
        "slab 0,1,0: 1,0.5,0 to 2,0.5,1",
      ]);
      expect(mesh.transparent.indices.length + mesh.cutout.indices.length).toBe(0);
    }
  });

  test("is one rectangle for a floor, at the chunk's origin", () => {
    const { origin, opaque, transparent } = built(buildMesh(solidBelow, [2, -1, -3]));
    expect(origin).toEqual([32, -16, -48]);
    expect([opaque.indices.length, transparent.indices.length]).toEqual([6, 0]);
    expect([...opaque.positions.filter((_, at) => at % 3 === 1)], "all at the top").toEqual([16, 16, 16, 16]);
    expect([...opaque.normals]).toEqual([0, 1, 0, 0, 1, 0, 0, 1, 0, 0, 1, 0]);
    expect(buildMesh(solidBelow, [0, 5, 0])?.opaque.indices.length, "the sky").toBe(0);
    expect(buildMesh(solidBelow, [0, -5, 0])?.opaque.indices.length, "the ground").toBe(0);
  });

  test("reaches over the edges of its faces by a 512th of a voxel, unless it is exact", () => {
    const reach = 1 / 512;
    const across = (isExact: boolean): readonly number[] => {
      const { opaque } = built(buildMesh(solidBelow, [0, -1, 0], { isExact }));
      return [...new Set(opaque.positions.filter((_, at) => at % 3 !== 1))].sort((a, b) => a - b);
    };
    expect(across(false)).toEqual([-reach, 16 + reach]);
    expect(across(true)).toEqual([0, 16]);
  });

  test("has linear colours, darker in corners, and triangles that face outwards", () => {
    const pillar = emptyChunk(4096)
      .set(16 + 3, STONE)
      .set(3, STONE)
      .set(4, STONE);
    const world = worldOf(([x, y, z]) => (x === 0 && y === 0 && z === 0 ? pillar : emptyChunk(4096)));
    const { opaque } = built(buildMesh(world, [0, 0, 0]));
    const reds = [...opaque.colours].filter((_, at) => at % 4 === 0);
    expect(Math.max(...reds)).toBeCloseTo(((0x8a / 255 + 0.055) / 1.055) ** 2.4, 5);
    expect(new Set(reds).size).toBeGreaterThan(1);
    expect(
      new Set([...built(buildMesh(world, [0, 0, 0], { isShaded: false })).opaque.colours]).size,
    ).toBeLessThan(5);
    const point = (vertex: number): readonly number[] => [
      ...opaque.positions.subarray(vertex * 3, vertex * 3 + 3).map(Math.round),
    ];
    for (let at = 0; at < opaque.indices.length; at += 3) {
      const [a, b, c] = [...opaque.indices.subarray(at, at + 3)].map(point) as [number[], number[], number[]];
      const [u, v] = [b, c].map((to) => to.map((part, axis) => part - (a[axis] as number))) as [
        number[],
        number[],
      ];
      const cross = [0, 1, 2].map((axis) => {
        const [i, j] = [(axis + 1) % 3, (axis + 2) % 3];
        return Math.sign((u[i] as number) * (v[j] as number) - (u[j] as number) * (v[i] as number)) + 0;
      });
      const vertex = opaque.indices[at] as number;
      expect(cross).toEqual([...opaque.normals.subarray(vertex * 3, vertex * 3 + 3)]);
    }
  });

  test("waits for the chunks around it, unless told what they are", () => {
    const island = worldOf(([x, y, z]) =>
      x === 0 && y === 0 && z === 0 ? uniformChunk(4096, STONE) : undefined,
    );
    expect(buildMesh(island, [0, 0, 0])).toBeUndefined();
    expect(buildMesh(island, [0, 0, 0], { unloaded: "air" })?.opaque.indices.length).toBe(36);
    expect(buildMesh(island, [0, 0, 0], { unloaded: "solid" })?.opaque.indices.length).toBe(0);
    expect(buildMesh(island, [1, 0, 0], { unloaded: "air" }), "the chunk itself is unknown").toBeUndefined();
  });

  test("the mesh of a world of two dimensions is flat and faces the viewer", () => {
    const tiles: MeshSource<2> = {
      dimensions: 2,
      chunkShape: TILE_CHUNKS,
      blocks: DEFAULT_BLOCKS,
      chunkAt: ([, y]) => (y < 0 ? uniformChunk(1024, STONE) : emptyChunk(1024).set(5, WATER)),
    };
    const ground = built(buildMesh(tiles, [3, -1]));
    expect(ground.origin).toEqual([96, -32, 0]);
    expect(ground.opaque.indices.length).toBe(6);
    expect([...new Set(ground.opaque.positions.filter((_, at) => at % 3 === 2))]).toEqual([0]);
    expect([...ground.opaque.normals.subarray(0, 3)]).toEqual([0, 0, 1]);
    expect(built(buildMesh(tiles, [0, 0])).transparent.indices.length).toBe(6);
  });

  test("takes the looks of blocks from a game that knows better", () => {
    const blocks = new BlockCatalog([
      ...DEFAULT_BLOCKS.types,
      { id: 50, name: "slime", colour: 0x00ff00, solid: true },
    ]);
    const world = {
      ...worldOf(([x, y, z]) =>
        x === 0 && y === 0 && z === 0 ? emptyChunk(4096).set(0, 50) : emptyChunk(4096),
      ),
      blocks,
    };
    expect(built(buildMesh(world, [0, 0, 0])).opaque.indices.length).toBe(36);
    const appearance = new BlockAppearance(blocks, { isTransparent: ({ name }) => name === "slime" });
    const { opaque, transparent } = built(buildMesh(world, [0, 0, 0], { appearance }));
    expect([opaque.indices.length, transparent.indices.length]).toEqual([0, 36]);
    expect(transparent.colours[1], "green").toBeCloseTo(1, 5);
    expect(transparent.colours[3], "opacity").toBeLessThan(1);
  });

  test.each<[what: string, argument: string, call: () => unknown]>([
    ["no world", "world is null", () => buildMesh(null as never, [0, 0, 0])],
    [
      "a world of four dimensions",
      "world.dimensions is 4",
      () => buildMesh({ ...solidBelow, dimensions: 4 } as never, [0, 0, 0]),
    ],
    [
      "a world without a chunk shape",
      "world.chunkShape.extents is undefined",
      () => buildMesh({ ...solidBelow, chunkShape: undefined } as never, [0, 0, 0]),
    ],
    ["two coordinates for three", "chunkPosition is [0, 0]", () => buildMesh(solidBelow, [0, 0] as never)],
    ["a position between chunks", "chunkPosition is [0.5, 0, 0]", () => buildMesh(solidBelow, [0.5, 0, 0])],
    [
      "another choice",
      'options.unloaded is "solids"',
      () => buildMesh(solidBelow, [0, 0, 0], { unloaded: "solids" as never }),
    ],
    [
      "looks that are a plain object",
      "options.appearance is an object",
      () => buildMesh(solidBelow, [0, 0, 0], { appearance: {} as never }),
    ],
    [
      "looks that lack a block",
      "looks.lookOf(1) is undefined; it is a BlockLook",
      () => buildMesh(solidBelow, [0, -1, 0], { looks: { lookOf: () => undefined } as never }),
    ],
    [
      "a flag that is a text",
      'options.isShaded is "no"',
      () => buildMesh(solidBelow, [0, 0, 0], { isShaded: "no" as never }),
    ],
    ["looks without a catalog", "catalog is undefined", () => new BlockAppearance(undefined as never)],
    [
      "looks with an option of the wrong type",
      "options.isGlowing is 1",
      () => new BlockAppearance(DEFAULT_BLOCKS, { isGlowing: 1 as never }),
    ],
  ])("refuses %s", (_what, argument, call) => {
    expect(call).toThrow(argument);
    expect(call).toThrow(expect.toSatisfy((error) => isOrthantError(error, "ORT_ARGUMENT")));
  });
});
