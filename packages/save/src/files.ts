/**
 * The files of a save and the records in its packs: their names, how they are read, written, verified and recovered. For
 * formats that store other content in the same files.
 *
 * @module @orthant/save/files
 */

export { type GenerationFiles, generationFiles, packFile } from "./codec/files.ts";
export { MANIFEST_FILE, packHeader } from "./codec/layout.ts";
export type { Manifest } from "./codec/manifest.ts";
export { flatIndexPayloadFile, globalPayloadFile, playersPayloadFile } from "./codec/payload-file.ts";
export { removeTemporaries } from "./commit/folder.ts";
export { PlainSaveWriter } from "./commit/plain-writer.ts";
export { isFlatIndex } from "./leaves/index-reader.ts";
export { PackReader } from "./pack/pack-reader.ts";
export type { NewRecord } from "./pack/pack-writer.ts";
export { recordSource } from "./read/blob-reader.ts";
export { readGlobal, readManifest, readPayloadFile } from "./read/reader.ts";
export { recoverFiles } from "./repair/recover-files.ts";
export { findNewest } from "./repair/repair-sources.ts";
export type { RepairPiece } from "./repair/salvage.ts";
export { verifyFiles } from "./verify/verify.ts";
export { KnownRecords } from "./verify/verify-pack.ts";
