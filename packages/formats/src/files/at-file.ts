import { ByteReader, type ByteReaderOptions, type Codec, isOrthantError, OrthantError } from "@orthant/core";

/** Where bytes come from: a file, how far into it they begin, and what they are. */
export interface Source {
  readonly path: string;
  readonly origin?: number;
  /** What is being read, for people: `the block record of the leaf at [0, 0, 0, 0]`. */
  readonly what?: string;
}

/** Runs an attempt and makes each `OrthantError` that comes out of it say where it happened. */
export function atFile<Value>({ path, what }: Source, attempt: () => Value): Value {
  try {
    return attempt();
  } catch (error) {
    if (!isOrthantError(error) || error.context.path !== undefined) throw error;
    const detail = what === undefined ? error.detail : `${what}: ${error.detail}`;
    throw new OrthantError(error.code, detail, { ...error.context, path }, { cause: error });
  }
}

/** As {@link atFile}, for an attempt that takes time. */
export async function atFileLater<Value>(source: Source, attempt: () => Promise<Value>): Promise<Value> {
  try {
    return await attempt();
  } catch (error) {
    return atFile(source, () => {
      throw error;
    });
  }
}

/** Decodes bytes of a file that hold exactly one value; errors name the file and count from its start. */
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
