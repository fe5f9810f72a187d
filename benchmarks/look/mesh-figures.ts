import { DEFAULT_BLOCKS } from "@orthant/core";
import { BlockAppearance } from "@orthant/mesh";
import { plainLooks } from "@orthant/mesh/looks";
import { quadCount, type VolumeMesh, VolumeMesher } from "@orthant/mesh/volume";
import { GreedyMesher } from "@orthant/testkit/mesh";
import { atLeast, atMost, type Figure, median, time, told } from "../figure.ts";
import { sized } from "../size.ts";
import type { TerrainChunk } from "./terrain-chunks.ts";

const ROUNDS = sized(15, 1);
const MESH_BUDGET_US = 400;
const TIMES_AS_FAST = 5;
const BYTES_A_QUAD = 16;

/** Meshes chunks of terrain that have a surface, in turn with the mesher of earlier versions and a bare loop over their voxels. */
export function* meshFigures(chunks: readonly TerrainChunk[]): Generator<Figure> {
  const looks = new BlockAppearance(DEFAULT_BLOCKS);
  const [mesher, textured, slow] = [
    new VolumeMesher(looks),
    new VolumeMesher(plainLooks(DEFAULT_BLOCKS)),
    new GreedyMesher(looks),
  ];
  const [lit, unlit] = [new Surfaces(), new Surfaces()];
  let [textureBytes, checksum] = [0, 0];
  const contenders = {
    ours: () => lit.take(chunks, ({ volume, light }) => mesher.mesh(volume, { light })),
    unlit: () => unlit.take(chunks, ({ volume }) => mesher.mesh(volume)),
    textured: () => sumOf(chunks, ({ volume, light }) => quadCount(textured.mesh(volume, { light }).opaque)),
    slow: () => sumOf(chunks, ({ volume }) => slow.mesh(volume, true).opaque.positions.length),
    texture: () =>
      sumOf(chunks, ({ light }) => {
        const texture = twoChannels(light);
        textureBytes = texture.byteLength;
        return texture[0] as number;
      }),
    loop: () => sumOf(chunks, ({ volume }) => countOpaque(volume.blocks, looks.kinds)),
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
          list.push((index === 0 ? cpuNs : wallNs) / 1000 / chunks.length),
        );
    }
  const cpuOf = (wanted: string): number => median(times.find(({ name }) => name === wanted)?.cpuUs ?? []);
  const wall = median(times[0]?.wallUs ?? []).toFixed(0);
  const each = (total: number): string => (total / chunks.length).toFixed(0);
  const remark = `with occlusion and light, ${chunks.length} chunks with a surface, ${wall} us on the clock, ${each(lit.quads)} quads each`;
  yield atMost("look/mesh", cpuOf("ours"), "us/chunk", MESH_BUDGET_US, remark);
  yield told("look/mesh-with-looks", cpuOf("textured"), "us/chunk", "the same with looks of blocks");
  const before = `${cpuOf("slow").toFixed(0)} us/chunk with the mesher of earlier versions, which knows no light; ${(cpuOf("slow") / cpuOf("unlit")).toFixed(1)} times as fast without it`;
  yield atLeast(
    told("look/mesh-speed", cpuOf("slow") / cpuOf("ours"), "times as fast", before),
    TIMES_AS_FAST,
  );
  const bare = `${cpuOf("loop").toFixed(1)} us/chunk to look at each voxel once; checksum ${checksum % 1000}`;
  yield told("look/mesh-of-loop", cpuOf("ours") / cpuOf("loop"), "times a bare loop", bare);
  yield atMost(
    "look/quad",
    lit.bytes / lit.quads,
    "bytes",
    BYTES_A_QUAD,
    "in the form for shaders, with light",
  );
  // The two ways to show light: at the corners of quads, or in a texture beside quads without light.
  yield told(
    "look/light-at-corners",
    lit.bytes / chunks.length,
    "bytes/chunk",
    `${each(lit.quads)} quads, ${cpuOf("ours").toFixed(0)} us when light changes`,
  );
  yield told(
    "look/light-in-a-texture",
    unlit.bytes / chunks.length + textureBytes,
    "bytes/chunk",
    `${each(unlit.quads)} quads and ${textureBytes} bytes of texture; ${cpuOf("unlit").toFixed(0)} us to mesh, ${cpuOf("texture").toFixed(1)} us when light changes`,
  );
}

/** Sizes of the surfaces of some chunks. */
class Surfaces {
  quads = 0;
  bytes = 0;

  take(chunks: readonly TerrainChunk[], meshOf: (chunk: TerrainChunk) => VolumeMesh): number {
    [this.quads, this.bytes] = [0, 0];
    for (const chunk of chunks) {
      const { opaque, blended } = meshOf(chunk);
      this.quads += quadCount(opaque) + quadCount(blended);
      this.bytes += opaque.byteLength + blended.byteLength;
    }
    return this.quads;
  }
}

function sumOf(chunks: readonly TerrainChunk[], of: (chunk: TerrainChunk) => number): number {
  return chunks.reduce((sum, chunk) => sum + of(chunk), 0);
}

/** Returns light as two channels of a texture, the sky's and that of blocks. */
function twoChannels(light: Uint8Array): Uint8Array {
  const texture = new Uint8Array(2 * light.length);
  for (let index = 0; index < light.length; index++) {
    const byte = light[index] as number;
    texture[2 * index] = (byte >> 4) * 17;
    texture[2 * index + 1] = (byte & 15) * 17;
  }
  return texture;
}

function countOpaque(voxels: Uint16Array, kinds: Uint8Array): number {
  let count = 0;
  for (let index = 0; index < voxels.length; index++) count += kinds[voxels[index] as number] as number;
  return count;
}
