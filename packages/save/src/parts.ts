// Parts of the store for other packages of Orthant, such as formats that keep their own records in the same files.
export { recordRefCodec } from "./codec/blob.ts";
export {
  mergePlayers,
  PLAYER_CLASS,
  PLAYERS_MAX,
  playersCodec,
  sortEntities,
  sortPlayers,
  storedEntityCodec,
  tagsCodec,
  vectorCodec,
} from "./codec/entity.ts";
export {
  decodePayloadFile,
  encodePayloadFile,
  generationFiles,
  packFile,
  payloadOfFile,
} from "./codec/files.ts";
export {
  EMPTY_GENERATOR,
  generatedChunks,
  generatorOf,
  type PlayerEntityHint,
  playerEntityHintsCodec,
} from "./codec/global-record.ts";
export {
  BLOB_VERSION,
  CHUNK_BLOB,
  ENTITY_BLOB,
  flatIndexHeader,
  globalHeader,
  MANIFEST_FILE,
  packHeader,
  playersHeader,
  recordHeader,
} from "./codec/layout.ts";
export { encodeUnsealedManifest, type Manifest } from "./codec/manifest.ts";
export { realizeStored } from "./codec/stored-chunk.ts";
export {
  CLIENT_EDITS_MAX,
  DESCRIPTION_EPOCHS_MAX,
  worldDescriptionCodec,
} from "./codec/world-description.ts";
export { swapManifest, writeGenerationFiles } from "./commit/commit-sequence.ts";
export { prepareFolder, removeTemporaries } from "./commit/folder.ts";
export { describeCube } from "./index/cube.ts";
export { isFlatIndex } from "./index/index-reader.ts";
export { LeafMap } from "./index/leaf-map.ts";
export { PackReader } from "./pack/pack-reader.ts";
export { scanPack } from "./pack/pack-scan.ts";
export type { NewRecord, PackWriter } from "./pack/pack-writer.ts";
export { readGlobal, readManifest, readNamed } from "./read/reader.ts";
export { filesOfGeneration } from "./read/survey.ts";
export { lostManifest } from "./repair/repair.ts";
export {
  findGlobal,
  findNewest,
  findPlayers,
  unknownGlobal,
  usableGenerations,
} from "./repair/repair-sources.ts";
export {
  followIndex,
  type IntactRecord,
  orderPieces,
  type RepairPiece,
  salvageRecords,
} from "./repair/salvage.ts";
export { verifyManifest, verifySurvey } from "./verify/verify.ts";
export { verifyPack } from "./verify/verify-pack.ts";
