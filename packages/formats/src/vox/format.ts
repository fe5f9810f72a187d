import { CUBE_CHUNKS, OrthantError } from "@orthant/core";
import { readWhole } from "@orthant/disk/files";
import { hasMagic } from "../format/files.ts";
import type { Format } from "../format/format.ts";
import { type ConversionLoss, ConversionLosses } from "../format/losses.ts";
import { formatAmount, formatBytes } from "../format/text.ts";
import { damageLines, damageLosses } from "../imported/damage-losses.ts";
import type {
  ImportedChunk,
  ImportedLooks,
  ImportedVoxels,
  ImportSource,
} from "../imported/import-source.ts";
import { importedFormat } from "../imported/imported-format.ts";
import { boxAround } from "../imported/surroundings.ts";
import { NOT_STORED, type Triple } from "../part/voxel-part.ts";
import { openVox, type VoxFile, visitVoxels } from "./vox-file.ts";
import type { VoxInstance } from "./vox-scene.ts";

/** Maximum bytes of a file. */
const VOX_BYTES_MAX = 268_435_456;
/** Maximum number of chunks of a scene: each takes 4 KiB of memory. */
const VOX_CHUNKS_MAX = 32_768;
/** Maximum number of voxels of all models of a scene together. */
const VOX_VOXELS_MAX = 134_217_728;
const EDGE = 16;
const NAMESPACE = "vox:";

/** Models and scenes of MagicaVoxel. */
export const voxFormat: Format = importedFormat({
  name: "vox",
  title: "MagicaVoxel",
  options: [
    {
      name: "frame",
      flags: "--frame <number>",
      description: "the frame of a MagicaVoxel scene that moves (default: the first)",
      check(text) {
        if (!/^\d{1,9}$/.test(text))
          throw new OrthantError("ORT_ARGUMENT", `--frame is a whole number, not ${JSON.stringify(text)}`);
      },
    },
  ],

  async detect(disk, file) {
    const isVox = file !== undefined && (/\.vox$/i.test(file) || (await hasMagic(disk, file, "VOX ")));
    return isVox ? { format: "vox", dialect: undefined, evidence: file } : undefined;
  },

  async openSource(disk, { evidence }, values) {
    const bytes = await readWhole(disk, evidence, VOX_BYTES_MAX);
    const file = openVox(bytes, evidence);
    return sourceOf(file, evidence, bytes.length, Number(values["frame"] ?? file.keyFrames[0] ?? 0));
  },
});

function sourceOf(file: VoxFile, path: string, bytes: number, frame: number): ImportSource {
  const { models, keyFrames, findings, palette } = file;
  const all = file.instancesAt(frame);
  const instances = all.filter((instance) => !isHidden(file, instance));
  const name = path.replace(/\.\w+$/, "");
  const losses = lossesOf(file, all.length - instances.length, frame);
  let made: readonly ImportedChunk[] | undefined;
  const chunks = (): readonly ImportedChunk[] => (made ??= chunksOf(file, instances));
  return {
    shape: CUBE_CHUNKS,
    name,
    // Models turn and overlap, so that one pass over all of them fills all chunks.
    pieces: [1],
    boxOf: () => boxAround(chunks()),
    losses,
    info: {
      facts: {
        version: file.version,
        models: models.length,
        instances: all.length,
        layers: file.layers.size,
        keyFrames,
        totalBytes: bytes,
      },
      rows: [
        ["name", name],
        ["file", formatBytes(bytes)],
        ["version", String(file.version)],
        ["models", formatAmount(models.length, "model")],
        ["in the scene", formatAmount(all.length, "model")],
        ["layers", file.layers.size === 0 ? undefined : formatAmount(file.layers.size, "layer")],
        ["key frames", keyFrames.length < 2 ? undefined : keyFrames.join(", ")],
      ],
      losses: damageLines(findings),
    },
    looksOf: (state) => looksOf(palette, state),
    readPiece: async () => ({ chunks: chunks(), losses: [], savedAtMs: 0 }),
    verify: async () => findings,
    close: async () => undefined,
  };
}

function isHidden({ layers }: VoxFile, { isHidden, layer }: VoxInstance): boolean {
  return isHidden || (layer !== undefined && layers.get(layer)?.isHidden === true);
}

function lossesOf(
  { findings, keyFrames }: VoxFile,
  hidden: number,
  frame: number,
): readonly ConversionLoss[] {
  const losses = new ConversionLosses();
  losses.addAll(damageLosses(findings));
  losses.add("hidden models", "they, their groups or their layers are hidden", hidden);
  losses.add(
    "key frames",
    `one moment is converted, frame ${frame}; --frame chooses another`,
    Math.max(0, keyFrames.length - 1),
  );
  return losses.list();
}

function looksOf(palette: Uint8Array, state: string): ImportedLooks {
  const at = (Number(state.slice(NAMESPACE.length)) - 1) * 4;
  const [red = 0, green = 0, blue = 0, alpha = 255] = palette.subarray(at, at + 4);
  return { colour: red * 0x1_0000 + green * 0x100 + blue, solid: true, transparent: alpha < 255, light: 0 };
}

/** In files of MagicaVoxel z points up, and y away: here y points up, and z towards us. */
function chunksOf({ models }: VoxFile, instances: readonly VoxInstance[]): readonly ImportedChunk[] {
  const chunks = new Map<string, { readonly position: Triple; readonly colours: Uint8Array }>();
  let voxelsLeft = VOX_VOXELS_MAX;
  let last: { readonly position: Triple; readonly colours: Uint8Array } | undefined;
  const chunkAt = (x: number, y: number, z: number): Uint8Array => {
    if (last?.position[0] === x && last.position[1] === y && last.position[2] === z) return last.colours;
    const key = `${x},${y},${z}`;
    last = chunks.get(key);
    if (last === undefined) {
      if (chunks.size === VOX_CHUNKS_MAX)
        throw new OrthantError("ORT_LIMIT", `more than ${VOX_CHUNKS_MAX} chunks`);
      last = { position: [x, y, z], colours: new Uint8Array(EDGE ** 3) };
      chunks.set(key, last);
    }
    return last.colours;
  };
  for (const instance of instances) {
    const model = models[instance.model];
    if (model === undefined) continue;
    voxelsLeft -= model.voxels.length / 4;
    if (voxelsLeft < 0) throw new OrthantError("ORT_LIMIT", `more than ${VOX_VOXELS_MAX} voxels`);
    visitVoxels(model, instance, (x, depth, y, colour) => {
      const z = -1 - depth;
      const colours = chunkAt(Math.floor(x / EDGE), Math.floor(y / EDGE), Math.floor(z / EDGE));
      colours[modulo(x) + modulo(z) * EDGE + modulo(y) * EDGE * EDGE] = colour;
    });
  }
  return Array.from(chunks.values(), ({ position, colours }) => ({
    position,
    voxels: paletteOf(colours),
    data: [],
  }));
}

/** A coordinate may be beyond 32 bits. */
function modulo(at: number): number {
  return at - Math.floor(at / EDGE) * EDGE;
}

function paletteOf(colours: Uint8Array): ImportedVoxels {
  const found = [...new Set(colours)].filter((colour) => colour !== 0).sort((a, b) => a - b);
  const places = new Uint16Array(256).fill(NOT_STORED);
  for (const [place, colour] of found.entries()) places[colour] = place;
  return {
    palette: found.map((colour) => `${NAMESPACE}${colour}`),
    indices: Uint16Array.from(colours, (colour) => places[colour] as number),
  };
}
