/** Every error code and what it means. The codes are API; docs/reference/errors.md lists the same ones. */
export const ERROR_CODES = {
  ORT_ARGUMENT: "the caller passed a value that the function does not accept",
  ORT_TRUNCATED: "the input ended before the value did",
  ORT_TRAILING_BYTES: "bytes were left over after the value",
  ORT_VARINT_PADDED: "a variable-length integer was written in more bytes than it needs",
  ORT_VARINT_RANGE: "a variable-length integer does not fit its field",
  ORT_UNSAFE_INTEGER: "a 64-bit integer is too large to be a JavaScript number",
  ORT_TAG: "a bool, option or enum tag has no meaning",
  ORT_UTF8: "a string is not valid UTF-8",
  ORT_NAN: "a float is a NaN with other bits than the one NaN that we write",
  ORT_LIMIT: "a count or length is above its named limit",
  ORT_MAGIC: "the bytes that name a format are not the expected ones",
  ORT_CHECKSUM: "stored and computed checksums differ",
  ORT_PLATFORM: "the machine or runtime lacks something that Orthant needs",
  ORT_PATH: "a path is not a plain relative path inside the disk's root",
  ORT_NOT_FOUND: "there is no file or directory with that name",
  ORT_EXISTS: "a file or directory with that name is already there",
  ORT_LOCKED: "somebody else holds the lock",
  ORT_CLOSED: "the file was used after it was closed",
  ORT_DISK_FULL: "the disk has no room left",
  ORT_DISK_DENIED: "the operating system does not permit the operation",
  ORT_DISK_IO: "the disk failed to read or write",
  ORT_DISK_POISONED: "a sync of this file failed before, so nothing more is written to it",
} as const;

/** One of the keys of {@link ERROR_CODES}. */
export type ErrorCode = keyof typeof ERROR_CODES;
