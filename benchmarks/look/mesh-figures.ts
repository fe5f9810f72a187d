import { CUBE_CHUNKS, DEFAULT_BLOCKS } from "@orthant/core";
import { DEFAULT_GENERATORS, generatorRef, TERRAIN_DEFAULTS, terrainGenerator } from "@orthant/core/generate";
import { WorldState } from "@orthant/core/tree";
import { BlockAppearance } from "@orthant/mesh";
import { plainLooks } from "@orthant/mesh/looks";
import {
  type CutAt,
  emptyVolume,
  fillVolume,
  quadCount,
  type Volume,
  VolumeMesher,
} from "@orthant/mesh/volume";
import { GreedyMesher } from "@orthant/testkit/mesh";
import { atLeast, atMost, type Figure, median, time, told } from "../figure.ts";
import { sized } from "../size.ts";

const EDGE = 16;
const RADIUS_CHUNKS = sized(6, 1);
const ROUNDS = sized(15, 1);
const MESH_BUDGET_US = 400;
const TIMES_AS_FAST = 5;
const BYTES_A_QUAD = 16;

/** Meshes chunks of terrain that have a surface, in turn with the mesher of earlier versions and a bare loop over their voxels. */
export function* meshFigures(): Generator<Figure> {
  const volumes = terrainVolumes();
  const looks = new BlockAppearance(DEFAULT_BLOCKS);
  const [mesher, textured, slow] = [
    new VolumeMesher(looks),
    new VolumeMesher(plainLooks(DEFAULT_BLOCKS)),
    new GreedyMesher(looks),
  ];
  let [quads, bytes, checksum] = [0, 0, 0];
  const contenders = {
    ours: () => {
      [quads, bytes] = [0, 0];
      for (const volume of volumes) {
        const { opaque, blended } = mesher.mesh(volume);
        quads += quadCount(opaque) + quadCount(blended);
        bytes += opaque.byteLength + blended.byteLength;
      }
      return quads;
    },
    textured: () => volumes.reduce((sum, volume) => sum + quadCount(textured.mesh(volume).opaque), 0),
    slow: () => volumes.reduce((sum, volume) => sum + slow.mesh(volume, true).opaque.positions.length, 0),
    loop: () => volumes.reduce((sum, { blocks }) => sum + countOpaque(blocks, looks.kinds), 0),
  };
  const times = Object.entries(contenders).map(([name, run]) => ({ name, run, cpuUs: [0], wallUs: [0] }));
  for (let round = 0; round <= ROUNDS; round++)
    for (const { run, cpuUs, wallUs } of times) {
      const { cpuNs, wallNs } = time(() => {
        checksum += run();
        return checksum;
      }, 1);
      // The first round warms up.
      if (round === 0) [cpuUs.length, wallUs.length] = [0, 0];
      else
        [cpuUs, wallUs].map((list, index) =>
          list.push((index === 0 ? cpuNs : wallNs) / 1000 / volumes.length),
        );
    }
  const cpuOf = (wanted: string): number => median(times.find(({ name }) => name === wanted)?.cpuUs ?? []);
  const wall = median(times[0]?.wallUs ?? []).toFixed(0);
  const remark = `${volumes.length} chunks with a surface, ${wall} us on the clock, ${(quads / volumes.length).toFixed(0)} quads each`;
  yield atMost("look/mesh", cpuOf("ours"), "us/chunk", MESH_BUDGET_US, remark);
  yield told("look/mesh-with-looks", cpuOf("textured"), "us/chunk", "the same with looks of blocks");
  const before = `${cpuOf("slow").toFixed(0)} us/chunk with the mesher of earlier versions`;
  yield atLeast(
    told("look/mesh-speed", cpuOf("slow") / cpuOf("ours"), "times as fast", before),
    TIMES_AS_FAST,
  );
  const bare = `${cpuOf("loop").toFixed(1)} us/chunk to look at each voxel once; checksum ${checksum % 1000}`;
  yield told("look/mesh-of-loop", cpuOf("ours") / cpuOf("loop"), "times a bare loop", bare);
  yield atMost("look/quad", bytes / quads, "bytes", BYTES_A_QUAD, "in the form for shaders");
}

/** Chunks of terrain that have a surface, with the voxels around them. */
function terrainVolumes(): readonly Volume[] {
  const generator = generatorRef(terrainGenerator, TERRAIN_DEFAULTS, 7n);
  const state = WorldState.open({ generators: DEFAULT_GENERATORS, generator, shape: CUBE_CHUNKS });
  const cutAt: CutAt = (x, y, z) => {
    const chunk = state.realizeChunk(x, y, z, 0);
    return chunk.uniformBlock ?? chunk.voxels();
  };
  const mesher = new VolumeMesher(new BlockAppearance(DEFAULT_BLOCKS));
  const volumes: Volume[] = [];
  for (let x = -RADIUS_CHUNKS; x < RADIUS_CHUNKS; x++)
    for (let z = -RADIUS_CHUNKS; z < RADIUS_CHUNKS; z++)
      for (let y = -2; y < 2; y++) {
        const volume = emptyVolume([EDGE, EDGE, EDGE]);
        const filling = fillVolume({ chunk: volume.size, chunks: [1, 1, 1] }, [x, y, z], cutAt, volume);
        if (filling === "filled" && mesher.mesh(volume).opaque.length > 0) volumes.push(volume);
      }
  return volumes;
}

function countOpaque(voxels: Uint16Array, kinds: Uint8Array): number {
  let count = 0;
  for (let index = 0; index < voxels.length; index++) count += kinds[voxels[index] as number] as number;
  return count;
}
