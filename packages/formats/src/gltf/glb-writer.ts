import { AIR, type Chunk, chunkFromVoxels, chunkShape, OrthantError } from "@orthant/core";
import { encodeUtf8, joinBytes } from "@orthant/core/bytes";
import { buildMesh, type MeshArrays } from "@orthant/mesh";
import { boxWriter, type ExportedVoxels, type VoxelsWriter } from "../exported/exported-voxels.ts";
import type { ConversionLosses } from "../format/losses.ts";
import { littleWords } from "../format/number-bytes.ts";

const EDGE = 16;
const SPACE = 0x20;
const FLOAT = 5_126;
const U32 = 5_125;
const ARRAY_BUFFER = 34_962;
const ELEMENT_BUFFER = 34_963;
/** Lengths in the file have 32 bits. */
const BYTES_MAX = 2 ** 31;

/** Writes binary files of glTF 2.0. */
export const glbWriter: VoxelsWriter = boxWriter(".glb", glbOf);

/** Returns a binary file of glTF 2.0: a mesh for each 16 x 16 x 16 voxels, with colours of vertices. Rules EX7 and EX8. */
function glbOf(voxels: ExportedVoxels, losses: ConversionLosses): Uint8Array {
  const kinds = new Set(voxels.blocks);
  kinds.delete(AIR);
  losses.add("names of blocks", "a surface has only a colour there", kinds.size);
  losses.add("data of voxels", "a surface has only a colour there", voxels.data.length);
  const file = new GlbFile();
  const source = sourceOf(voxels);
  const counts = voxels.size.map((edge) => Math.ceil(edge / EDGE));
  for (let y = 0; y < (counts[1] ?? 0); y++) {
    for (let z = 0; z < (counts[2] ?? 0); z++) {
      for (let x = 0; x < (counts[0] ?? 0); x++) {
        const mesh = buildMesh(source, [x, y, z], { unloaded: "air", isExact: true });
        if (mesh === undefined) continue;
        const origin = mesh.origin.map((at, axis) => at + (voxels.min[axis] ?? 0));
        file.add(origin, mesh.opaque, mesh.transparent);
      }
    }
  }
  return file.bytes();
}

/** The box as chunks of its own, so that its sides have surfaces. */
function sourceOf({ size, blocks, catalog }: ExportedVoxels): Parameters<typeof buildMesh<3>>[0] {
  const chunks = new Map<string, Chunk>();
  return {
    dimensions: 3,
    chunkShape: chunkShape([EDGE, EDGE, EDGE, 1]),
    blocks: catalog,
    chunkAt([chunkX, chunkY, chunkZ]) {
      const key = `${chunkX},${chunkY},${chunkZ}`;
      let chunk = chunks.get(key);
      if (chunk !== undefined) return chunk;
      const voxels = new Uint16Array(EDGE ** 3);
      for (let index = 0; index < voxels.length; index++) {
        const x = chunkX * EDGE + (index % EDGE);
        const y = chunkY * EDGE + (Math.floor(index / EDGE) % EDGE);
        const z = chunkZ * EDGE + Math.floor(index / EDGE ** 2);
        if (x < 0 || y < 0 || z < 0 || x >= size[0] || y >= size[1] || z >= size[2]) continue;
        voxels[index] = blocks[x + (z + y * size[2]) * size[0]] as number;
      }
      chunk = chunkFromVoxels(voxels);
      chunks.set(key, chunk);
      return chunk;
    },
  };
}

/** Collects the parts of a file: buffers one after another, and what JSON says about them. */
class GlbFile {
  readonly #parts: Uint8Array[] = [];
  #length = 0;
  readonly #views: object[] = [];
  readonly #accessors: object[] = [];
  readonly #meshes: object[] = [];
  readonly #nodes: object[] = [];

  add(origin: readonly number[], opaque: MeshArrays, transparent: MeshArrays): void {
    const primitives = [opaque, transparent].flatMap((arrays, material) =>
      arrays.indices.length === 0 ? [] : [this.#primitive(arrays, material)],
    );
    if (primitives.length === 0) return;
    this.#nodes.push({ mesh: this.#meshes.length, translation: origin });
    this.#meshes.push({ primitives });
  }

  bytes(): Uint8Array {
    const hasMeshes = this.#meshes.length > 0;
    const json = {
      asset: { version: "2.0", generator: "Orthant" },
      scene: 0,
      scenes: [hasMeshes ? { nodes: this.#nodes.map((_, index) => index) } : {}],
      ...(hasMeshes && {
        nodes: this.#nodes,
        meshes: this.#meshes,
        accessors: this.#accessors,
        bufferViews: this.#views,
        buffers: [{ byteLength: this.#length }],
        materials: [
          { name: "opaque", pbrMetallicRoughness: { metallicFactor: 0, roughnessFactor: 1 } },
          {
            name: "transparent",
            alphaMode: "BLEND",
            pbrMetallicRoughness: { metallicFactor: 0, roughnessFactor: 1 },
          },
        ],
      }),
    };
    const text = encodeUtf8(JSON.stringify(json));
    const head = joinBytes([text, new Uint8Array((4 - (text.length % 4)) % 4).fill(SPACE)]);
    const body = hasMeshes ? [littleWords(this.#length), encodeUtf8("BIN\0"), ...this.#parts] : [];
    const total = 20 + head.length + (hasMeshes ? 8 + this.#length : 0);
    if (total > BYTES_MAX)
      throw new OrthantError("ORT_LIMIT", `a file of ${total} bytes; use a smaller --box`);
    return joinBytes([
      encodeUtf8("glTF"),
      littleWords(2, total, head.length),
      encodeUtf8("JSON"),
      head,
      ...body,
    ]);
  }

  #primitive({ positions, normals, colours, indices }: MeshArrays, material: number): object {
    return {
      attributes: {
        POSITION: this.#accessor(positions, 3, boundsOf(positions)),
        NORMAL: this.#accessor(normals, 3),
        COLOR_0: this.#accessor(colours, 4),
      },
      indices: this.#accessor(indices, 1),
      material,
    };
  }

  #accessor(values: Float32Array | Uint32Array, width: 1 | 3 | 4, bounds: object = {}): number {
    const isIndices = values instanceof Uint32Array;
    this.#views.push({
      buffer: 0,
      byteOffset: this.#length,
      byteLength: values.byteLength,
      target: isIndices ? ELEMENT_BUFFER : ARRAY_BUFFER,
    });
    this.#parts.push(new Uint8Array(values.buffer, values.byteOffset, values.byteLength));
    this.#length += values.byteLength;
    this.#accessors.push({
      bufferView: this.#views.length - 1,
      componentType: isIndices ? U32 : FLOAT,
      count: values.length / width,
      type: width === 1 ? "SCALAR" : `VEC${width}`,
      ...bounds,
    });
    return this.#accessors.length - 1;
  }
}

function boundsOf(positions: Float32Array): {
  readonly min: readonly number[];
  readonly max: readonly number[];
} {
  const min = [Infinity, Infinity, Infinity];
  const max = [-Infinity, -Infinity, -Infinity];
  for (let at = 0; at < positions.length; at++) {
    const value = positions[at] as number;
    min[at % 3] = Math.min(min[at % 3] as number, value);
    max[at % 3] = Math.max(max[at % 3] as number, value);
  }
  return { min, max };
}
