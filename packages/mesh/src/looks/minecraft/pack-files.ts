import { OrthantError } from "@orthant/core";
import { decodeUtf8 } from "@orthant/core/bytes";
import { readPng } from "../png/read-png.ts";
import type { TexturePicture } from "../texture-stack.ts";
import { ZipFile } from "./zip-file.ts";

const ASSET = /^assets\/[a-z0-9_.-]+\/(?:blockstates\/.+\.json|models\/.+\.json|textures\/.+\.png)$/;
const JSON_BYTES_MAX = 1_048_576;
const PNG_BYTES_MAX = 4_194_304;
const NAMESPACE = "minecraft";
const BYTE_ORDER_MARK = /^\ufeff/;

/** An object of a JSON file, of which nothing is known yet. */
export type JsonObject = Readonly<Record<string, unknown>>;

/** Returns an object as it is, and an empty one for anything else. */
export function objectOf(value: unknown): JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as JsonObject) : {};
}

/** The files of resource packs, of which a later one replaces what an earlier one has. */
export class PackFiles {
  readonly #archives: readonly ZipFile[];

  constructor(packs: readonly Uint8Array[]) {
    this.#archives = packs.map((pack) => new ZipFile(pack, (name) => ASSET.test(name))).reverse();
  }

  /** Returns the object in a JSON file, such as `blockstates` of `minecraft:stone`. */
  async json(kind: "blockstates" | "models", id: string): Promise<JsonObject | undefined> {
    const path = assetPath(kind, id, "json");
    const bytes = await this.#read(path, JSON_BYTES_MAX);
    if (bytes === undefined) return undefined;
    const text = decodeUtf8(bytes, 0, bytes.length);
    if (text === undefined) throw new OrthantError("ORT_UTF8", "the file is not UTF-8", { path });
    try {
      return objectOf(JSON.parse(text.replace(BYTE_ORDER_MARK, "")));
    } catch (cause) {
      const detail = cause instanceof Error ? cause.message.slice(0, 100) : "";
      throw new OrthantError("ORT_FOREIGN", `the file is not JSON: ${detail}`, { path }, { cause });
    }
  }

  /** Returns a texture, such as `block/stone`. */
  async texture(id: string): Promise<TexturePicture | undefined> {
    const path = assetPath("textures", id, "png");
    const bytes = await this.#read(path, PNG_BYTES_MAX);
    if (bytes === undefined) return undefined;
    try {
      return await readPng(bytes);
    } catch (error) {
      if (!(error instanceof OrthantError)) throw error;
      throw new OrthantError(error.code, error.detail, { ...error.context, path }, { cause: error });
    }
  }

  async #read(path: string, bytesMax: number): Promise<Uint8Array | undefined> {
    for (const archive of this.#archives) {
      const bytes = await archive.read(path, bytesMax);
      if (bytes !== undefined) return bytes;
    }
    return undefined;
  }
}

/** Returns an id with its namespace: `minecraft:stone` for `stone`. */
export function fullId(id: string): string {
  return id.includes(":") ? id : `${NAMESPACE}:${id}`;
}

function assetPath(kind: string, id: string, extension: string): string {
  const full = fullId(id);
  const colon = full.indexOf(":");
  return `assets/${full.slice(0, colon)}/${kind}/${full.slice(colon + 1)}.${extension}`;
}
