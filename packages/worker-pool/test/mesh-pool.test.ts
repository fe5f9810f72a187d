import {
  type BlockCatalog,
  type ChunkShape,
  CUBE_CHUNKS,
  chunkFromVoxels,
  DEFAULT_BLOCKS,
  flat,
  GeneratorRegistry,
  HYPERCUBE_CHUNKS,
  type Position,
  platforms,
  TILE_CHUNKS,
  terrain,
} from "@orthant/core";
import type { SeededGenerator } from "@orthant/core/generate";
import { chunkOfVoxel, PositionMap, voxelIndex } from "@orthant/core/lattice";
import { LightField, LitState } from "@orthant/core/light";
import { WorldState } from "@orthant/core/tree";
import { BlockAppearance } from "@orthant/mesh";
import { type BlockLook, type BlockLooks, MODELS, type ModelName, plainLooks } from "@orthant/mesh/looks";
import {
  chunkInSlice,
  chunkSizeIn,
  cutChunk,
  decodeMaterial,
  decodeQuad,
  emptyVolume,
  fillVolume,
  quadCount,
  TEMPLATE_NUMBERS,
  type VolumeMesh,
  VolumeMesher,
  type VolumePoint,
  type VolumeSlice,
  XYZ,
} from "@orthant/mesh/volume";
import { codeOf, codeOfRejection, Prng } from "@orthant/testkit";
import { type MeshPool, type MeshScene, meshPool, stateSource, URGENT } from "@orthant/worker-pool/node";
import { afterEach, describe, expect, test } from "vitest";
import { crashing, odd, slow } from "./sample-generators.mjs";

const STONE = 1;
const LAMP = 13;
const CHUNKS: VolumePoint = [2, 2, 2];

let pool: MeshPool | undefined;

afterEach(async () => {
  await pool?.close();
  pool = undefined;
});

/** A world whose state changes. */
class SmallWorld {
  state: WorldState;

  constructor({ ref, generator }: SeededGenerator, shape: ChunkShape = CUBE_CHUNKS) {
    this.state = WorldState.open({ generators: new GeneratorRegistry([generator]), generator: ref, shape });
  }

  set(...placements: readonly (readonly [voxel: Position, block: number])[]): void {
    this.state = this.state.setVoxels(placements.map(([voxel, block]) => ({ voxel, block }))).state;
  }
}

interface Tables {
  readonly materials: Uint32Array;
  readonly templates: Float32Array;
}

/** Describes the quads of a mesh without the numbers of tables, sorted. */
function quadsOf(mesh: VolumeMesh, { materials, templates }: Tables): readonly string[] {
  return Object.entries(mesh)
    .flatMap(([pass, quads]) =>
      Array.from({ length: quadCount(quads) }, (_, index) => {
        const { material, template, ...quad } = decodeQuad(quads, index);
        const model =
          template === undefined
            ? undefined
            : [...templates.subarray(template * TEMPLATE_NUMBERS, (template + 1) * TEMPLATE_NUMBERS)];
        return JSON.stringify({ pass, ...quad, model, ...decodeMaterial(materials, material) });
      }),
    )
    .sort();
}

/** Meshes a section on this thread. */
function meshHere(
  { state }: SmallWorld,
  { first, chunks = CHUNKS, slice = XYZ }: { first: VolumePoint; chunks?: VolumePoint; slice?: VolumeSlice },
  looks: BlockLooks | BlockAppearance = new BlockAppearance(DEFAULT_BLOCKS),
): readonly string[] {
  const { shape } = state;
  const chunk = chunkSizeIn(shape, slice);
  const volume = emptyVolume([chunk[0] * chunks[0], chunk[1] * chunks[1], chunk[2] * chunks[2]]);
  fillVolume(
    { chunk, chunks },
    first,
    (...place) => cutChunk(state.realizeChunk(...chunkInSlice(shape, slice, place)), shape, slice),
    volume,
  );
  const field = new LightField(new LitState(() => state), DEFAULT_BLOCKS);
  const light = new Uint8Array(volume.blocks.length);
  const lights = new PositionMap<Uint8Array>();
  let at = 0;
  for (let back = -1; back <= volume.size[2]; back++)
    for (let up = -1; up <= volume.size[1]; up++)
      for (let right = -1; right <= volume.size[0]; right++) {
        const voxel: [number, number, number, number] = [0, 0, 0, 0];
        voxel[slice.right] = first[0] * chunk[0] + right;
        voxel[slice.up] = first[1] * chunk[1] + up;
        voxel[slice.back] = first[2] * chunk[2] + back;
        voxel[slice.hidden] = slice.at;
        const position = chunkOfVoxel(shape, voxel);
        const own = lights.get(...position) ?? (field.chunk(position) as Uint8Array);
        lights.set(...position, own);
        light[at++] = own[voxelIndex(shape, ...voxel)] as number;
      }
  const mesher = new VolumeMesher(looks);
  const mesh = mesher.mesh(volume, { light });
  return quadsOf(mesh, mesher.blocks);
}

/** Looks of models for blocks from 100 on, three for each kind, and of white cubes for all others. */
function sampleLooks(kinds: readonly ModelName[]): BlockLooks {
  const face = { layer: 0, variants: 1, isScattered: false, turns: 0, tint: 0xffffff } as const;
  const plain = plainLooks(DEFAULT_BLOCKS);
  const looks = new Map<number, BlockLook>();
  for (const [index, kind] of kinds.entries())
    for (let layer = 0; layer < 3; layer++) {
      const textures = Array.from({ length: 6 }, () => ({ ...face, layer }));
      const pass = (["opaque", "cutout", "blended"] as const)[layer];
      const quads = MODELS[kind](textures, { facing: "east" });
      looks.set(100 + 3 * index + layer, { ...plain.lookOf(STONE), pass, cube: undefined, quads });
    }
  return { textures: plain.textures, lookOf: (block) => looks.get(block) ?? plain.lookOf(block) };
}

function sceneOf(
  world: SmallWorld,
  options: { blocks?: BlockCatalog; looks?: BlockLooks; isLit?: boolean; cacheBytes?: number } = {},
): MeshScene {
  pool ??= meshPool({ workers: 2 });
  return pool.openScene({ source: stateSource(() => world.state), blocks: DEFAULT_BLOCKS, ...options });
}

async function meshThere(
  scene: MeshScene,
  section: { first: VolumePoint; chunks?: VolumePoint; slice?: VolumeSlice },
): Promise<readonly string[]> {
  const mesh = await scene.mesh({ chunks: CHUNKS, ...section }).result;
  if (mesh === undefined) throw new Error("a chunk is not known");
  return quadsOf(mesh, scene);
}

describe("a pool of workers for meshes", () => {
  test("builds the lit meshes of terrain that this thread builds, before and after edits", async () => {
    const world = new SmallWorld(terrain({ seed: 4n }));
    const scene = sceneOf(world);
    const firsts: readonly VolumePoint[] = [
      [0, 0, 0],
      [-2, 0, 0],
    ];
    const compare = async (): Promise<void> => {
      const meshes = await Promise.all(firsts.map((first) => meshThere(scene, { first })));
      for (const [index, first] of firsts.entries())
        expect(meshes[index], String(first)).toEqual(meshHere(world, { first }));
    };
    await compare();
    // A lamp beside the sections, a shaft, and a roof far above.
    world.set([[-1, 20, 5, 0], LAMP]);
    for (let y = -10; y < 40; y++) world.set([[5, y, 5, 0], y % 16 === 3 ? LAMP : 0]);
    for (let x = 8; x < 14; x++) world.set([[x, 300, 9, 0], STONE], [[x, 300, 10, 0], STONE]);
    await compare();
    world.set([[-1, 20, 5, 0], 0], [[9, 300, 9, 0], 0]);
    await compare();
  });

  test("asks for the looks of blocks that it meets, with models", async () => {
    const world = new SmallWorld(flat({ top: 3 }));
    const prng = new Prng(3);
    const kinds = Object.keys(MODELS) as ModelName[];
    for (let index = 0; index < 300; index++)
      world.set([[prng.below(32), 3 + prng.below(6), prng.below(16), 0], 100 + prng.below(3 * kinds.length)]);
    const looks = sampleLooks(kinds);
    const scene = sceneOf(world, { looks });
    const sections = [0, 1, 0, 1].map((x) => ({ first: [x, 0, 0] as const, chunks: [1, 1, 1] as const }));
    const meshes = await Promise.all(sections.map((section) => meshThere(scene, section)));
    for (const [index, section] of sections.entries())
      expect(meshes[index]).toEqual(meshHere(world, section, looks));
    expect(scene.templates.length).toBeGreaterThan(0);
  });

  test.each([0, 2, 3] as const)("shows slices of four dimensions that hide axis %d", async (hidden) => {
    const world = new SmallWorld(platforms({ seed: 3n }), HYPERCUBE_CHUNKS);
    world.set([[1, 2, 3, 4], LAMP], [[4, 2, 3, 1], STONE], [[-3, 2, 3, 1], LAMP]);
    const shown = (axis: 0 | 1 | 2): 0 | 1 | 2 | 3 => (axis === hidden ? 3 : axis);
    const slice: VolumeSlice = { right: shown(0), up: 1, back: shown(2), hidden, at: 1 };
    const scene = sceneOf(world);
    const section = { first: [-1, 0, 0], chunks: [2, 1, 1], slice } as const;
    expect(await meshThere(scene, section)).toEqual(meshHere(world, section));
  });

  test("shows worlds of two dimensions, lit by what is around each voxel", async () => {
    const world = new SmallWorld(terrain({ seed: 5n }), TILE_CHUNKS);
    const scene = sceneOf(world);
    const mesh = await scene.mesh({ first: [0, 0, 0], chunks: [1, 1, 1] }).result;
    const quads = Array.from({ length: quadCount(mesh?.opaque ?? new Uint32Array(0)) }, (_, index) =>
      decodeQuad(mesh?.opaque as Uint32Array<ArrayBuffer>, index),
    );
    expect(quads.length).toBeGreaterThan(0);
    expect(new Set(quads.map(({ side }) => side))).toEqual(new Set([4]));
    const levels = quads.flatMap(({ lights }) => lights);
    expect(Math.max(...levels)).toBe(0xf0);
    expect(Math.min(...levels)).toBe(0);
  });

  test("sends all chunks where workers cannot load the generator", async () => {
    const world = new SmallWorld(odd({ seed: 7n, block: 9 }));
    world.set([[3, 3, 3, 0], LAMP]);
    pool = meshPool({ workers: 1 });
    const source = { ...stateSource(() => world.state), generators: undefined };
    const scene = pool.openScene({ source, blocks: DEFAULT_BLOCKS });
    const own = sceneOf(world);
    const first: VolumePoint = [0, 0, 0];
    expect(await meshThere(scene, { first })).toEqual(meshHere(world, { first }));
    expect(await meshThere(own, { first }), "with its module").toEqual(meshHere(world, { first }));
  });

  test("[L5] sends what was built high above where workers cannot load the generator", async () => {
    const world = new SmallWorld(flat({}));
    for (let x = 0; x < 6; x++) world.set([[x, 300, 5, 0], STONE], [[x, 20, 9, 0], STONE]);
    pool = meshPool({ workers: 1 });
    const source = { ...stateSource(() => world.state), generators: undefined };
    const scene = pool.openScene({ source, blocks: DEFAULT_BLOCKS });
    const section = { first: [0, -1, 0], chunks: [1, 2, 1] } as const;
    expect(await meshThere(scene, section)).toEqual(meshHere(world, section));
  });

  test("waits for chunks that are not in memory", async () => {
    const world = new SmallWorld(terrain({ seed: 1n }));
    let edge = 4;
    pool = meshPool({ workers: 1 });
    const source = stateSource(
      () => world.state,
      ({ max }) => max[0] <= edge,
    );
    const scene = pool.openScene({ source, blocks: DEFAULT_BLOCKS });
    expect(await scene.mesh({ first: [2, 0, 0], chunks: CHUNKS }).result).toBeUndefined();
    edge = 5;
    expect(await scene.mesh({ first: [2, 0, 0], chunks: CHUNKS }).result).toBeDefined();
  });

  test("keeps few chunks in workers, and sends those that were dropped again", async () => {
    const world = new SmallWorld(flat({ top: 0 }));
    const prng = new Prng(9);
    const positions = Array.from(
      { length: 64 },
      (_, index): Position => [index % 8, 0, Math.floor(index / 8), 0],
    );
    world.state = world.state.setChunks(
      positions.map((position) => [
        position,
        chunkFromVoxels(
          Uint16Array.from({ length: 4096 }, () => (prng.below(4) === 0 ? prng.below(900) : 0)),
        ),
      ]),
    ).state;
    const scene = sceneOf(world, { isLit: false, cacheBytes: 1024 * 1024 });
    const tall = sceneOf(world, { isLit: false });
    for (let round = 0; round < 2; round++)
      for (const x of [0, 2, 4, 6]) {
        const first: VolumePoint = [x, 0, x];
        expect(await meshThere(scene, { first })).toEqual(await meshThere(tall, { first }));
      }
  });

  test("meshes in the order of priorities, which change when the camera moves", async () => {
    pool = meshPool({ workers: 1 });
    const scene = sceneOf(new SmallWorld(flat({ top: 3 })));
    const order: string[] = [];
    let camera = 0;
    const ask = (name: string, x: number): Promise<unknown> =>
      scene
        .mesh({ first: [x, 0, 0], chunks: [1, 1, 1] }, { priority: () => Math.abs(x - camera) })
        .result.then(() => order.push(name));
    // Two jobs are with the worker at once, before anything is sorted.
    const jobs = [ask("first", 50), ask("second", 50), ask("near", 1), ask("far", 9), ask("middle", 5)];
    camera = 9;
    pool.sort();
    const urgent = scene.mesh({ first: [3, 0, 0], chunks: [1, 1, 1] }, { priority: URGENT });
    await Promise.all([...jobs, urgent.result.then(() => order.push("urgent"))]);
    expect(order).toEqual(["first", "second", "urgent", "far", "middle", "near"]);
  });

  test("drops cancelled jobs, and those of a scene that is closed", async () => {
    pool = meshPool({ workers: 1 });
    const scene = sceneOf(new SmallWorld(terrain({ seed: 1n })));
    const other = sceneOf(new SmallWorld(terrain({ seed: 2n })));
    const job = (from: MeshScene) => from.mesh({ first: [0, 0, 0], chunks: CHUNKS });
    const [cancelled, kept, closed, last] = [job(scene), job(scene), job(other), job(scene)];
    cancelled.cancel();
    const codes = [cancelled, closed].map(({ result }) => codeOfRejection(result));
    other.close();
    expect(await Promise.all(codes)).toEqual(["ORT_CLOSED", "ORT_CLOSED"]);
    expect(quadsOf((await kept.result) as VolumeMesh, scene).length).toBeGreaterThan(0);
    // The answer to the cancelled job told of materials that later meshes use.
    expect(await last.result).toEqual(await kept.result);
    expect(await codeOfRejection(job(other).result)).toBe("ORT_CLOSED");
  });

  test("replaces a worker that ends, and numbers what the next one meets", async () => {
    pool = meshPool({ workers: 1 });
    const world = new SmallWorld(terrain({ seed: 4n }));
    const scene = sceneOf(world);
    const first: VolumePoint = [0, 0, 0];
    expect(await meshThere(scene, { first })).toEqual(meshHere(world, { first }));
    const bad = sceneOf(new SmallWorld(crashing({ seed: 1n })), { isLit: false });
    expect(await codeOfRejection(bad.mesh({ first, chunks: CHUNKS }).result)).toBe("ORT_WORKER");
    // Another section first, so that the new worker meets blocks in another order.
    await meshThere(scene, { first: [0, -6, 0] });
    expect(await meshThere(scene, { first })).toEqual(meshHere(world, { first }));
  });

  test("stops a worker whose generator takes too long", async () => {
    pool = meshPool({ workers: 1, jobTimeoutMs: 3_000 });
    const scene = sceneOf(new SmallWorld(slow({ seed: 1n, isEndless: true })));
    await expect(scene.mesh({ first: [0, 0, 0], chunks: [1, 1, 1] }).result).rejects.toThrow(
      "ORT_WORKER: meshing 1 x 1 x 1 chunks from [0,0,0] took more than 3000 ms; the worker was stopped",
    );
  });

  test("refuses sections and options that are not any", () => {
    const scene = sceneOf(new SmallWorld(flat()));
    const mesh = (first: unknown, chunks: unknown): string =>
      codeOf(() => scene.mesh({ first: first as VolumePoint, chunks: chunks as VolumePoint }));
    expect([
      mesh([0, 0], CHUNKS),
      mesh([0, 0, 0.5], CHUNKS),
      mesh([0, 0, 0], [0, 1, 1]),
      mesh([0, 0, 0], [17, 1, 1]),
      mesh([0, 0, 0], [8, 8, 8]),
    ]).toEqual(Array(5).fill("ORT_ARGUMENT"));
    const options = { source: {}, blocks: DEFAULT_BLOCKS } as never;
    expect(codeOf(() => pool?.openScene(options))).toBe("ORT_ARGUMENT");
  });
});
