import { OrthantError } from "@orthant/core";
import { requireBytes, requireText } from "@orthant/core/arguments";
import type { Finding } from "@orthant/disk/files";
import { FindingLog } from "../part/finding-log.ts";
import type { Triple } from "../part/voxel-part.ts";
import { type VoxLayer, type VoxNode, VoxNodeReader } from "./vox-node.ts";
import { defaultVoxPalette, VOX_PALETTE_BYTES } from "./vox-palette.ts";
import { rotate, type VoxInstance, walkVoxScene } from "./vox-scene.ts";

const HEADER_BYTES = 8;
const CHUNK_HEADER_BYTES = 12;
/** Coordinates of voxels are bytes. */
const EDGE_MAX = 256;
const VOXEL_BYTES = 4;

/** A model: voxels of one colour each. */
export interface VoxModel {
  readonly size: Triple;
  /** Four bytes a voxel: x, y, z (up), and its colour index, 1 to 255. All are inside of the size. */
  readonly voxels: Uint8Array;
}

/** A file of MagicaVoxel. Its z axis points up. */
export interface VoxFile {
  readonly version: number;
  readonly models: readonly VoxModel[];
  readonly layers: ReadonlyMap<number, VoxLayer>;
  /** Four bytes a colour, red first; colour index i is at entry i - 1. */
  readonly palette: Uint8Array;
  /** Key frames of the scene, ascending; empty if nothing moves. */
  readonly keyFrames: readonly number[];
  readonly findings: readonly Finding[];
  /** Lists the models in the scene at a frame: the last key frame at or before it counts. */
  instancesAt(frame: number): readonly VoxInstance[];
}

/** Calls `visit` with each voxel of a model in the scene: where it lies, and its colour index. */
export function visitVoxels(
  { size, voxels }: VoxModel,
  { rotation, translation, layer }: VoxInstance,
  visit: (x: number, y: number, z: number, colour: number) => void,
): void {
  // Without a scene, models lie at their own origin; in a scene, a translation moves their middle.
  const middle = layer === undefined ? [0, 0, 0] : size.map((edge) => Math.floor(edge / 2));
  const [middleX, middleY, middleZ] = middle as unknown as Triple;
  for (let at = 0; at < voxels.length; at += VOXEL_BYTES) {
    const [x, y, z] = rotate(rotation, [
      (voxels[at] as number) + 0.5 - middleX,
      (voxels[at + 1] as number) + 0.5 - middleY,
      (voxels[at + 2] as number) + 0.5 - middleZ,
    ]);
    visit(
      Math.floor(x + translation[0]),
      Math.floor(y + translation[1]),
      Math.floor(z + translation[2]),
      voxels[at + 3] as number,
    );
  }
}

/**
 * Reads a file of MagicaVoxel. Throws `ORT_MAGIC` if it is not one, and `ORT_FOREIGN` for a chunk with a negative size,
 * after which nothing has a place; everything less is a finding. `path` is for messages.
 */
export function openVox(bytes: Uint8Array, path: string): VoxFile {
  requireBytes("bytes", bytes);
  requireText("path", path);
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  if (bytes.length < HEADER_BYTES + CHUNK_HEADER_BYTES || textAt(bytes, 0) !== "VOX ") {
    throw new OrthantError("ORT_MAGIC", "a file of MagicaVoxel begins with VOX", { path });
  }
  const contents = new VoxContents(new FindingLog(path));
  contents.read(bytes, view);
  return contents.file(view.getInt32(4, true));
}

class VoxContents {
  readonly #findings: FindingLog;
  readonly #models: VoxModel[] = [];
  readonly #nodes = new Map<number, VoxNode>();
  readonly #layers = new Map<number, VoxLayer>();
  #palette: Uint8Array | undefined;
  #size: Triple | undefined;

  constructor(findings: FindingLog) {
    this.#findings = findings;
  }

  read(bytes: Uint8Array, view: DataView): void {
    if (textAt(bytes, HEADER_BYTES) !== "MAIN") {
      throw new OrthantError("ORT_FOREIGN", "the first chunk is not MAIN", { offset: HEADER_BYTES });
    }
    const own = view.getInt32(HEADER_BYTES + 4, true);
    const children = view.getInt32(HEADER_BYTES + 8, true);
    const start = HEADER_BYTES + CHUNK_HEADER_BYTES;
    if (own < 0 || own > bytes.length - start) throw wrongSize("MAIN", own, HEADER_BYTES);
    if (children !== bytes.length - start - own) {
      const detail = `MAIN states ${children} bytes of chunks where ${bytes.length - start - own} follow`;
      this.#findings.notice(`${detail}; they are read up to the end of the file`, HEADER_BYTES);
    }
    for (let offset = start + own; offset < bytes.length; ) offset = this.#chunk(bytes, view, offset);
  }

  file(version: number): VoxFile {
    const instances = (frame: number, findings: FindingLog): readonly VoxInstance[] => {
      const scene =
        this.#nodes.size === 0 ? undefined : walkVoxScene(this.#nodes, this.#models.length, frame, findings);
      return scene ?? this.#models.map((_, model) => unplaced(model));
    };
    const keyFrames = keyFramesOf(this.#nodes);
    // Findings about the scene belong to the file, whichever frame is asked for later.
    instances(keyFrames[0] ?? 0, this.#findings);
    return {
      version,
      models: this.#models,
      layers: this.#layers,
      palette: this.#palette ?? defaultVoxPalette(),
      keyFrames,
      findings: this.#findings.list(),
      instancesAt: (frame) => instances(frame, new FindingLog("")),
    };
  }

  /** Reads one chunk; returns where the next one begins. */
  #chunk(bytes: Uint8Array, view: DataView, offset: number): number {
    const left = bytes.length - offset - CHUNK_HEADER_BYTES;
    if (left < 0) {
      this.#findings.damage("ORT_TRUNCATED", "the file ends in the head of a chunk", offset);
      return bytes.length;
    }
    const kind = textAt(bytes, offset);
    const length = view.getInt32(offset + 4, true);
    const children = view.getInt32(offset + 8, true);
    if (length < 0 || children < 0) throw wrongSize(kind, Math.min(length, children), offset);
    if (length > left) {
      const detail = `chunk ${JSON.stringify(kind)} states ${length} bytes where ${left} are left`;
      this.#findings.damage("ORT_TRUNCATED", `${detail}; it and all after it are left out`, offset);
      return bytes.length;
    }
    const start = offset + CHUNK_HEADER_BYTES;
    try {
      this.#content(kind, bytes.subarray(start, start + length), view, start);
    } catch (error) {
      this.#findings.lost(`chunk ${kind} is left out`, error, offset);
    }
    return start + length;
  }

  #content(kind: string, content: Uint8Array, view: DataView, start: number): void {
    const reader = new VoxNodeReader(content);
    switch (kind) {
      case "SIZE":
        this.#size = [reader.i32(), reader.i32(), reader.i32()];
        break;
      case "XYZI":
        this.#models.push(this.#model(content, view, start));
        this.#size = undefined;
        break;
      case "RGBA":
        if (content.length >= VOX_PALETTE_BYTES) this.#palette = content.slice(0, VOX_PALETTE_BYTES);
        else throw new OrthantError("ORT_TRUNCATED", `${content.length} bytes of colours`);
        break;
      case "nTRN":
        this.#nodes.set(reader.i32(), reader.transform());
        break;
      case "nGRP":
        this.#nodes.set(reader.i32(), reader.group());
        break;
      case "nSHP":
        this.#nodes.set(reader.i32(), reader.shape());
        break;
      case "LAYR":
        this.#layers.set(reader.i32(), reader.layer());
        break;
      // PACK only counts models; IMAP only orders the palette's window; materials and cameras are not read.
      default:
    }
  }

  #model(content: Uint8Array, view: DataView, start: number): VoxModel {
    const id = this.#models.length;
    const stated = this.#size ?? [0, 0, 0];
    const size = stated.map((edge) => Math.min(Math.max(edge, 0), EDGE_MAX)) as unknown as Triple;
    if (size.some((edge, axis) => edge !== stated[axis])) {
      this.#findings.damage("ORT_FOREIGN", `model ${id} has a size of [${stated.join(", ")}]`, start);
    }
    const claimed = content.length < 4 ? 0 : view.getUint32(start, true);
    const count = Math.min(claimed, Math.max(0, Math.floor((content.length - 4) / VOXEL_BYTES)));
    if (count < claimed) {
      this.#findings.damage("ORT_FOREIGN", `model ${id} states ${claimed} voxels, ${count} are there`, start);
    }
    return { size, voxels: this.#usableVoxels(content.subarray(4, 4 + count * VOXEL_BYTES), size, id) };
  }

  #usableVoxels(stored: Uint8Array, size: Triple, id: number): Uint8Array {
    const voxels = new Uint8Array(stored.length);
    let end = 0;
    let outside = 0;
    let empty = 0;
    for (let at = 0; at < stored.length; at += VOXEL_BYTES) {
      const [x, y, z, colour] = stored.subarray(at, at + VOXEL_BYTES) as unknown as [
        number,
        number,
        number,
        number,
      ];
      if (x >= size[0] || y >= size[1] || z >= size[2]) outside++;
      else if (colour === 0) empty++;
      else {
        voxels[end] = x;
        voxels[end + 1] = y;
        voxels[end + 2] = z;
        voxels[end + 3] = colour;
        end += VOXEL_BYTES;
      }
    }
    if (outside > 0)
      this.#findings.damage(
        "ORT_FOREIGN",
        `${outside} voxels of model ${id} outside of its size are left out`,
      );
    if (empty > 0)
      this.#findings.notice(`${empty} voxels of model ${id} with colour 0, which is empty, are left out`);
    return voxels.subarray(0, end);
  }
}

function keyFramesOf(nodes: ReadonlyMap<number, VoxNode>): readonly number[] {
  const frames = new Set<number>();
  for (const node of nodes.values()) {
    const keys = node.kind === "transform" ? node.frames : node.kind === "shape" ? node.models : [];
    if (keys.length > 1) for (const { frame } of keys) frames.add(frame);
  }
  return [...frames].sort((a, b) => a - b);
}

function unplaced(model: number): VoxInstance {
  const rotation = [[1, 0, 0] as const, [0, 1, 0] as const, [0, 0, 1] as const] as const;
  return { model, rotation, translation: [0, 0, 0], layer: undefined, name: undefined, isHidden: false };
}

function textAt(bytes: Uint8Array, offset: number): string {
  return String.fromCharCode(...bytes.subarray(offset, offset + 4));
}

function wrongSize(kind: string, length: number, offset: number): OrthantError {
  return new OrthantError("ORT_FOREIGN", `chunk ${JSON.stringify(kind)} has a size of ${length}`, { offset });
}
