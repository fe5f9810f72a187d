import { OrthantError } from "@orthant/core";
import { getOrAdd } from "@orthant/core/lattice";
import type { FaceTexture } from "../block-looks.ts";
import { WHITE_LAYER } from "../look-pack.ts";
import { enlarged, TEXTURE_EDGE_MAX, type TexturePicture, TextureStack } from "../texture-stack.ts";
import type { ModelFace } from "./block-models.ts";
import type { PackFiles } from "./pack-files.ts";

const TEXTURES_MAX = 2_046;
const PIXEL_BYTES = 4;
const WHITE = 0xff_ffff;
const EDGE_MIN = 16;

/** A face with its layer. */
interface LayeredFace {
  readonly face: ModelFace;
  readonly texture: FaceTexture;
}

/** The textures of resource packs: loaded first, then in layers of one size. */
export class PackTextures {
  readonly #pictures = new Map<string, TexturePicture | undefined>();
  readonly #layers = new Map<string, number>();
  #stack: TextureStack | undefined;

  /** Loads a texture. One that is missing, or not as high as wide or a multiple of it, is left out. */
  async load(id: string, files: PackFiles): Promise<void> {
    if (this.#pictures.has(id)) return;
    if (this.#pictures.size >= TEXTURES_MAX)
      throw new OrthantError("ORT_LIMIT", `the blocks use more than ${TEXTURES_MAX} textures`);
    const picture = await files.texture(id);
    this.#pictures.set(id, picture === undefined ? undefined : firstFrame(picture));
  }

  /** Returns the layers, once all textures are loaded. Faces add further ones. */
  stack(): TextureStack {
    if (this.#stack === undefined) {
      const edges = [...this.#pictures.values()].map((picture) => picture?.width ?? 0);
      this.#stack = new TextureStack(edges.reduce((most, edge) => Math.max(most, edge), EDGE_MIN));
    }
    return this.#stack;
  }

  /** Returns the layer of a texture; the white one if there is none. */
  layerOf(id: string): number {
    return getOrAdd(this.#layers, id, () => {
      const picture = this.#pictures.get(id);
      return picture === undefined ? WHITE_LAYER : this.stack().add(enlarged(picture, this.stack().edge));
    });
  }

  /** Returns faces with their layers. A face that lies on another one, as grass on the side of soil, is painted on it. */
  layered(faces: readonly ModelFace[], tint: number, missing: number): readonly LayeredFace[] {
    const places = new Map<string, ModelFace[]>();
    for (const face of faces) {
      const { side, from, to, part, turns, tilt } = face;
      const key = JSON.stringify([side, from, to, part, turns, tilt]);
      getOrAdd(places, key, () => []).push(face);
    }
    return [...places.values()].flatMap((stacked) => {
      const [lowest] = stacked;
      if (lowest === undefined) return [];
      const isPainted = stacked.length > 1;
      const layer = isPainted ? this.#painted(stacked, tint) : this.layerOf(lowest.texture);
      const colour = layer === WHITE_LAYER ? missing : lowest.isTinted && !isPainted ? tint : WHITE;
      return [{ face: lowest, texture: { layer, variants: 1, isScattered: false, turns: 0, tint: colour } }];
    });
  }

  #painted(faces: readonly ModelFace[], tint: number): number {
    const key = JSON.stringify([tint, faces.map(({ texture, isTinted }) => [texture, isTinted])]);
    return getOrAdd(this.#layers, key, () => {
      const { edge } = this.stack();
      const pixels = new Uint8Array(edge * edge * PIXEL_BYTES);
      for (const { texture, isTinted } of faces) {
        const picture = this.#pictures.get(texture);
        if (picture !== undefined) paintOver(pixels, enlarged(picture, edge), isTinted ? tint : WHITE);
      }
      return this.stack().add(pixels);
    });
  }
}

function paintOver(pixels: Uint8Array, upper: Uint8Array, tint: number): void {
  for (let at = 0; at < pixels.length; at += PIXEL_BYTES) {
    const opacity = upper[at + 3] as number;
    for (let part = 0; part < 3; part++) {
      const tinted = ((upper[at + part] as number) * ((tint >>> (16 - part * 8)) & 0xff)) / 255;
      const below = pixels[at + part] as number;
      pixels[at + part] = Math.round((tinted * opacity + below * (255 - opacity)) / 255);
    }
    pixels[at + 3] = Math.max(pixels[at + 3] as number, opacity);
  }
}

/** Returns the square at the top of an animated texture, no larger than textures may be. */
function firstFrame({ width, height, pixels }: TexturePicture): TexturePicture | undefined {
  if (width > height || (width & (width - 1)) !== 0) return undefined;
  if (width <= TEXTURE_EDGE_MAX)
    return { width, height: width, pixels: pixels.slice(0, width * width * PIXEL_BYTES) };
  const step = width / TEXTURE_EDGE_MAX;
  const source = new Uint32Array(pixels.slice(0, width * width * PIXEL_BYTES).buffer);
  const target = new Uint32Array(TEXTURE_EDGE_MAX * TEXTURE_EDGE_MAX);
  for (let at = 0; at < target.length; at++) {
    const [row, column] = [Math.floor(at / TEXTURE_EDGE_MAX), at % TEXTURE_EDGE_MAX];
    // One pixel of each square: what packs of this size paint is smooth.
    target[at] = source[(row * width + column) * step] as number;
  }
  const reduced = new Uint8Array(target.buffer);
  return { width: TEXTURE_EDGE_MAX, height: TEXTURE_EDGE_MAX, pixels: reduced };
}
