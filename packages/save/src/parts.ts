// Parts of a save for `@orthant/formats`: other formats that keep their own records in the same files.
export { blobRefCodec } from "./codec/blob-ref.ts";
export { sortEntities } from "./codec/entity-blob.ts";
export { storedEntityCodec } from "./codec/entity-record.ts";
export { generationFiles, packFile } from "./codec/file-names.ts";
export { isFlatIndex } from "./codec/flat-index.ts";
export { playerEntityHintsCodec } from "./codec/global-record.ts";
export {
  BLOB_VERSION,
  CHUNK_BLOB,
  ENTITY_BLOB,
  flatIndexHeader,
  globalHeader,
  MANIFEST_FILE,
  playersHeader,
  recordHeader,
} from "./codec/layout.ts";
export { encodeUnsealedManifest, type Manifest } from "./codec/manifest.ts";
export { decodePayloadFile, encodePayloadFile, payloadOfFile } from "./codec/payload-file.ts";
export { PLAYERS_MAX, tagsCodec } from "./codec/player-record.ts";
export { vectorCodec } from "./codec/vector.ts";
export { swapManifest, writeGenerationFiles } from "./commit/commit-sequence.ts";
export { prepareFolder } from "./commit/empty-folder.ts";
export { describeCell } from "./index/cell.ts";
export { scanPack } from "./pack/pack-scan.ts";
export { PackShelf } from "./pack/pack-shelf.ts";
export type { NewRecord, PackWriter } from "./pack/pack-writer.ts";
export { readGlobal, readManifest, readNamed } from "./read/reader.ts";
export { lostManifest } from "./repair/repair.ts";
export { followIndex, orderPieces, salvageRecords } from "./repair/repair-selection.ts";
export {
  findGlobal,
  findNewest,
  findPlayers,
  unknownGlobal,
  usableGenerations,
} from "./repair/repair-sources.ts";
export type { IntactRecord } from "./repair/salvage.ts";
export { filesOfGeneration, type Survey, surveySave } from "./repair/survey.ts";
export { verifyManifest, verifySurvey } from "./verify/verify.ts";
export { verifyPack } from "./verify/verify-pack.ts";
