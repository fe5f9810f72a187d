import {
  AXES,
  type BlockCatalog,
  blockCatalogCodec,
  CHUNK_VOXELS_MAX,
  type ChunkShape,
  type Codec,
  chunkShape,
  encode,
  generatorRefCodec,
  positionFrom,
} from "@orthant/core";
import { counterCodec } from "./counter.ts";
import { epochCodec } from "./epoch-codec.ts";
import { CATALOG_BYTES_MAX, WORLD_NAME_BYTES_MAX } from "./limits.ts";
import { pointCodec, poseCodec } from "./pose-codec.ts";
import type { Role, Welcome } from "./server-message.ts";
import { oneOf } from "./variants.ts";
import { versionCodec } from "./version-codec.ts";

const roleCodec = oneOf<Role>(["viewer", "builder", "admin"]);

const shapeCodec: Codec<ChunkShape> = {
  write(out, { extents }) {
    for (const axis of AXES) out.varU32(extents[axis]);
  },
  read(input) {
    const extents = positionFrom(() => input.varU32());
    const volume = extents.reduce((product, extent) => product * extent, 1);
    if (volume < 1 || volume > CHUNK_VOXELS_MAX) {
      throw input.fail("ORT_LIMIT", `chunks of [${extents}] voxels where 1 to ${CHUNK_VOXELS_MAX} may be`);
    }
    return chunkShape(extents);
  },
};

/** A length-prefixed catalog, so that the length is checked before anything is read. */
const catalogCodec: Codec<BlockCatalog> = {
  write: (out, catalog) => out.bytes(encode(blockCatalogCodec, catalog), CATALOG_BYTES_MAX),
  read(input) {
    const length = input.count(CATALOG_BYTES_MAX);
    const inner = input.within(length);
    const catalog = blockCatalogCodec.read(inner);
    inner.end();
    return catalog;
  },
};

/** Accepts a hello. Rule N21 in docs/formats/protocol.md. */
export const welcomeCodec: Codec<Welcome> = {
  write(out, welcome) {
    versionCodec.write(out, welcome.version);
    out.u64(welcome.manifestHash);
    out.varU64(welcome.featureBits);
    out.u64(welcome.worldId);
    epochCodec.write(out, welcome.era);
    out.string(welcome.worldName, WORLD_NAME_BYTES_MAX);
    shapeCodec.write(out, welcome.shape);
    generatorRefCodec.write(out, welcome.generator);
    catalogCodec.write(out, welcome.catalog);
    pointCodec.write(out, welcome.spawn);
    out.u64(welcome.playerId);
    roleCodec.write(out, welcome.role);
    out.bool(welcome.resumed);
    counterCodec.write(out, welcome.tickMs);
    poseCodec.write(out, welcome);
  },

  read: (input) => ({
    kind: "welcome",
    version: versionCodec.read(input),
    manifestHash: input.u64(),
    featureBits: input.varU64(),
    worldId: input.u64(),
    era: epochCodec.read(input),
    worldName: input.string(WORLD_NAME_BYTES_MAX),
    shape: shapeCodec.read(input),
    generator: generatorRefCodec.read(input),
    catalog: catalogCodec.read(input),
    spawn: pointCodec.read(input),
    playerId: input.u64(),
    role: roleCodec.read(input),
    resumed: input.bool(),
    tickMs: counterCodec.read(input),
    ...poseCodec.read(input),
  }),
};
