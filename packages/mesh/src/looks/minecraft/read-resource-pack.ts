import { AIR, BlockCatalog, type BlockProperties, type BlockType } from "@orthant/core";
import { convertList, requireBytes, wrongArgument } from "@orthant/core/arguments";
import { getOrAdd } from "@orthant/core/lattice";
import type { BlockLook, FaceTexture, ModelQuad } from "../block-looks.ts";
import { type LookPack, WHITE_LAYER } from "../look-pack.ts";
import { MODELS } from "../models/models.ts";
import { turnedQuads } from "../models/quads.ts";
import { lookOfQuads } from "../pack/look-spec.ts";
import type { TextureStack } from "../texture-stack.ts";
import { type BlockModel, ModelReader, quadOfFace } from "./block-models.ts";
import { type BlockStates, type ModelUse, readBlockStates, usesFor } from "./block-states.ts";
import { tintOf } from "./block-tints.ts";
import { fullId, PackFiles } from "./pack-files.ts";
import { PackTextures } from "./pack-textures.ts";

/** Blocks of a world that was imported beside others of the same name. */
const IMPORTED = /^imported:(?=.)/;
const LIQUIDS: ReadonlyMap<string, string> = new Map([
  ["water", "minecraft:block/water_still"],
  ["lava", "minecraft:block/lava_still"],
]);
/** Blocks that the game does not draw at all. */
const UNSEEN = /^(?:.*_)?(?:air|barrier|light|structure_void|moving_piston)$/;
const JOINING = /glass|ice$/;
const WHITE = 0xff_ffff;

/** A block of the catalog with all that its packs say. */
interface PackBlock {
  readonly type: BlockType;
  /** Its name without the namespace. */
  readonly name: string;
  readonly states: BlockStates;
  readonly models: ReadonlyMap<string, BlockModel>;
}

/**
 * Reads resource packs of Minecraft, or the archive of the game itself, for the blocks of a catalog that have the game's
 * names, such as `minecraft:oak_stairs`. A later pack replaces files of an earlier one. Blocks that no pack has are
 * coloured cubes. Throws an `OrthantError` with the file that is damaged or too large.
 *
 * @example
 * const pack = await readResourcePack([game, ownPack], world.blocks);
 * const looks = looksOf(pack, world.blocks);
 */
export async function readResourcePack(
  packs: readonly Uint8Array[],
  catalog: BlockCatalog,
): Promise<LookPack> {
  if (!(catalog instanceof BlockCatalog)) throw wrongArgument("catalog", catalog, "it is a BlockCatalog");
  const archives = convertList("packs", packs, "it is a list of zip archives as Uint8Arrays", (pack, index) =>
    requireBytes(`packs[${index}]`, pack),
  );
  const files = new PackFiles(archives);
  const reader = new ModelReader(files);
  const blocks: PackBlock[] = [];
  for (const type of catalog.types) {
    const block = type.id === AIR ? undefined : await readBlock(type, files, reader);
    if (block !== undefined) blocks.push(block);
  }
  const textures = new PackTextures();
  for (const { name, models } of blocks) {
    for (const { faces, particle } of models.values()) {
      for (const { texture } of faces) await textures.load(texture, files);
      if (faces.length === 0 && particle !== undefined) await textures.load(particle, files);
    }
    const liquid = LIQUIDS.get(name);
    if (liquid !== undefined) await textures.load(liquid, files);
  }
  const stack = textures.stack();
  const drawn = new Map(blocks.map((block) => [block.type.name, new DrawnBlock(block, textures)] as const));
  const shared = new Map<string, BlockLook>();
  return {
    textures: stack.textures(),
    lookOf(type, properties) {
      const block = drawn.get(type.name);
      if (block === undefined) return undefined;
      const look = block.lookOf(properties, stack);
      return getOrAdd(shared, JSON.stringify(look), () => look);
    },
  };
}

async function readBlock(
  type: BlockType,
  files: PackFiles,
  reader: ModelReader,
): Promise<PackBlock | undefined> {
  const id = fullId(type.name.replace(IMPORTED, ""));
  const name = id.slice(id.indexOf(":") + 1);
  const file = await files.json("blockstates", id);
  if (file === undefined) return undefined;
  const states = readBlockStates(file, `blockstates/${id}`);
  const models = new Map<string, BlockModel>();
  for (const { use } of states.parts) {
    if (!models.has(use.model)) models.set(use.model, await reader.read(use.model));
  }
  return { type, name, states, models };
}

/** The quads of a block's models, with their layers. */
class DrawnBlock {
  readonly #block: PackBlock;
  readonly #textures: PackTextures;
  readonly #quads = new Map<string, readonly ModelQuad[]>();

  constructor(block: PackBlock, textures: PackTextures) {
    this.#block = block;
    this.#textures = textures;
    const tint = tintOf(block.name);
    // All layers are there before the first look.
    const liquid = LIQUIDS.get(block.name);
    if (liquid !== undefined) textures.layerOf(liquid);
    for (const { faces, particle } of block.models.values()) {
      if (faces.length === 0 && particle !== undefined) textures.layerOf(particle);
    }
    for (const [id, { faces }] of block.models) {
      this.#quads.set(
        id,
        textures
          .layered(faces, tint, block.type.colour)
          .map(({ face, texture }) => quadOfFace(face, texture)),
      );
    }
  }

  lookOf(properties: BlockProperties, stack: TextureStack): BlockLook {
    const { type, name, states } = this.#block;
    const isGlowing = type.light > 0;
    const liquid = LIQUIDS.get(name);
    if (liquid !== undefined) {
      const face = this.#face(liquid, name === "water" ? tintOf(name) : WHITE);
      return { ...lookOfQuads(cubeOfFace(face), stack), isGlowing, isLiquid: true, joins: true };
    }
    const uses = usesFor(states, properties);
    const quads = uses.flatMap((use) => this.#turned(use));
    const look = lookOfQuads(quads.length > 0 ? quads : this.#standIn(uses), stack);
    return { ...look, isGlowing, joins: look.joins || JOINING.test(name) };
  }

  #turned(use: ModelUse): readonly ModelQuad[] {
    const quads = turnedQuads(this.#quads.get(use.model) ?? [], use);
    if (!use.isScattered) return quads;
    return quads.map((quad) => {
      const isLevel = quad.side !== undefined && quad.side >> 1 === 1;
      return isLevel ? { ...quad, texture: { ...quad.texture, isScattered: true } } : quad;
    });
  }

  /** Returns a cube, or a post for what one walks through, in place of what the game draws by other means. */
  #standIn(uses: readonly ModelUse[]): readonly ModelQuad[] {
    const { type, name, models } = this.#block;
    const particle = uses.map(({ model }) => models.get(model)?.particle).find((each) => each !== undefined);
    if (particle === undefined || UNSEEN.test(name)) return [];
    const face = this.#face(particle, WHITE);
    return type.solid
      ? cubeOfFace(face)
      : MODELS.post(
          Array.from({ length: 6 }, () => face),
          {},
        );
  }

  #face(texture: string, tint: number): FaceTexture {
    const layer = this.#textures.layerOf(texture);
    const colour = layer === WHITE_LAYER ? this.#block.type.colour : tint;
    return { layer, variants: 1, isScattered: false, turns: 0, tint: colour };
  }
}

function cubeOfFace(face: FaceTexture): readonly ModelQuad[] {
  return MODELS.cube([face, face, face, face, face, face], {});
}
