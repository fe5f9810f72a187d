import { type BlockCatalog, OrthantError } from "@orthant/core";
import { type BlockLook, readResourcePack, type TextureLayers } from "@orthant/mesh/looks";
import { lookKey } from "../message/look-key.ts";

/** How a resource pack draws blocks, as a page takes it. */
interface ReadLooks {
  readonly textures: TextureLayers;
  readonly looks: ReadonlyMap<string, BlockLook>;
}

/** Files that are read at once: the archives of a game are some 30 MiB. */
const PACK_BYTES_MAX: number = 256 * 1024 * 1024;

/**
 * Reads resource packs of Minecraft for the blocks of a world; later ones replace files of earlier ones. Throws an
 * `OrthantError` when one is damaged, too large, or has no look for any of these blocks.
 */
export async function readLooks(files: readonly Blob[], blocks: BlockCatalog): Promise<ReadLooks> {
  const bytes = files.reduce((sum, { size }) => sum + size, 0);
  if (bytes > PACK_BYTES_MAX)
    throw new OrthantError("ORT_LIMIT", `${bytes} bytes exceed the limit of ${PACK_BYTES_MAX}`);
  const archives = await Promise.all(files.map(async (file) => new Uint8Array(await file.arrayBuffer())));
  const pack = await readResourcePack(archives, blocks);
  const looks = new Map<string, BlockLook>();
  for (let id = 1; id < blocks.endId; id++) {
    const type = blocks.byId(id);
    const properties = blocks.describe(id)?.properties ?? {};
    const look = type && pack.lookOf(type, properties);
    if (type !== undefined && look !== undefined) looks.set(lookKey(type.name, properties), look);
  }
  if (looks.size === 0) {
    const detail =
      "it has no model of any block of this world; drop the archive of the game first, which has all models";
    throw new OrthantError("ORT_NOT_FOUND", detail);
  }
  return { textures: pack.textures, looks };
}
