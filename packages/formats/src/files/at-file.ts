import { ByteReader, type ByteReaderOptions, type Codec, isOrthantError, OrthantError } from "@orthant/core";

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
export async function atFileLater<Value>(source: Source, attempt: () => Promise<Value>): Promise<Value> {
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
