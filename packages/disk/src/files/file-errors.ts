import { type ErrorCode, isOrthantError, OrthantError } from "@orthant/core";
import { ByteReader, type ByteReaderOptions, type Codec } from "@orthant/core/bytes";

/** Origin of bytes: a file, their offset in it, and what they are. */
export interface Source {
  readonly path: string;
  readonly origin?: number;
  /** What is being read, for messages: `the block record of the leaf at [0, 0, 0, 0]`. */
  readonly what?: string;
}

/** Calls `attempt` and adds the file to each `OrthantError` it throws. */
export function atFile<Value>({ path, what }: Source, attempt: () => Value): Value {
  try {
    return attempt();
  } catch (error) {
    if (!isOrthantError(error) || error.context.path !== undefined) throw error;
    const detail = what === undefined ? error.detail : `${what}: ${error.detail}`;
    throw new OrthantError(error.code, detail, { ...error.context, path }, { cause: error });
  }
}

/** Like {@link atFile}, for an asynchronous attempt. */
export async function atFileAsync<Value>(source: Source, attempt: () => Promise<Value>): Promise<Value> {
  try {
    return await attempt();
  } catch (error) {
    return atFile(source, () => {
      throw error;
    });
  }
}

/**
 * Decodes bytes of a file that hold exactly one value. Errors name the file, and offsets count from its
 * start.
 */
export function decodeAt<Value>(
  source: Source,
  codec: Codec<Value>,
  bytes: Uint8Array,
  dialect: NonNullable<ByteReaderOptions["dialect"]> = "strict",
): Value {
  return atFile(source, () => {
    const input = new ByteReader(bytes, { dialect, origin: source.origin ?? 0 });
    const value = codec.read(input);
    input.end();
    return value;
  });
}

/** Returns the result of a call, or the `OrthantError` it throws. */
export async function attempt<Value>(
  call: () => Promise<Value>,
): Promise<readonly [Value, undefined] | readonly [undefined, OrthantError]> {
  try {
    return [await call(), undefined];
  } catch (error) {
    if (isOrthantError(error)) return [undefined, error];
    throw error;
  }
}

/** Errors of a disk, or of a request to it, that say nothing about the bytes on it. */
const TROUBLES: ReadonlySet<ErrorCode> = new Set([
  "ORT_DISK_FULL",
  "ORT_DISK_DENIED",
  "ORT_DISK_IO",
  "ORT_SYNC_FAILED",
  "ORT_CLOSED",
  "ORT_EXISTS",
]);

/**
 * Returns whether an error means wrong bytes on the disk, rather than that they cannot be read or written
 * now.
 */
export function isDamage(error: unknown): error is OrthantError {
  return isOrthantError(error) && !TROUBLES.has(error.code);
}
