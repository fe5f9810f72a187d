// For tests, campaigns and golden files of this repository. Not published.
export {
  flatGlobalCodec,
  flatIndexCodec,
  flatPlayersCodec,
  worldOverrideCodec,
} from "./polychora-flat/payloads.ts";
export { flatChunkBlobCodec, flatEntityBlobCodec } from "./polychora-flat/records.ts";
export { type FlatSaveContent, writeFlatSave } from "./polychora-flat/writer.ts";
