export { requireDisk } from "../port/disk.ts";
export { atFile, atFileAsync, attempt, decodeAt, isDamage, type Source } from "./file-errors.ts";
export { type Finding, findingOf, isWhole, noticeOf } from "./finding.ts";
export { GrowingFile } from "./growing-file.ts";
export { fileSize, filesIn, isLockName, lockOf, readBeginning, readWhole } from "./read-files.ts";
export { SerialQueue } from "./serial-queue.ts";
export {
  fencedDisk,
  pathOfTemporary,
  TEMPORARY_SUFFIX,
  temporaryPath,
  type WriterLock,
  writeTemporary,
} from "./write-files.ts";
