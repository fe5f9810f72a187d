import { OrthantError } from "../error/orthant-error.ts";
import { type InflatedBytes, nodeZlib } from "./node-zlib.ts";
import { joinBytes, plainBytes } from "./plain-bytes.ts";

/**
 * Fast, with little left to gain: docs/decisions/0014-blobs-that-say-what-changed.md has the figures. Less memory than by
 * default means a new code for each 8,192 symbols, which suits chunks and changes one after the other.
 */
const COMPRESSION = { level: 1, memLevel: 7 };
/** The smallest output chunk size that Node accepts. */
const PIECE_BYTES_MIN = 64;
/** How much longer most files of other programs are when they are not compressed: a chunk of Minecraft, 12 times. */
const GUESSED_RATIO = 16;
const GUESSED_BYTES_MAX = 262_144;

/** The part of the platform's streams used here, available in Node and all browsers. */
interface ByteTransform {
  readonly readable: {
    getReader(): {
      read(): Promise<{ readonly done: boolean; readonly value?: Uint8Array }>;
      cancel(): Promise<void>;
    };
  };
  readonly writable: {
    getWriter(): { write(bytes: Uint8Array): Promise<void>; close(): Promise<void> };
  };
}

type StreamFormat = "deflate-raw" | "deflate" | "gzip";
const STREAM_FORMATS = { zlib: "deflate", gzip: "gzip" } as const;
type ByteTransformConstructor = new (format: StreamFormat) => ByteTransform;

declare const CompressionStream: ByteTransformConstructor | undefined;
declare const DecompressionStream: ByteTransformConstructor | undefined;

/** Compresses bytes to a raw deflate stream (RFC 1951): synchronously in Node, else with streams. */
export function deflateRaw(bytes: Uint8Array): Uint8Array | Promise<Uint8Array> {
  const zlib = nodeZlib();
  return zlib === undefined ? streamDeflateRaw(bytes) : plainBytes(zlib.deflateRawSync(bytes, COMPRESSION));
}

/**
 * Decompresses a raw deflate stream whose contents are exactly `outputBytes` long, and never produces more.
 * Throws `ORT_DEFLATE` when the stream is damaged, truncated, or has another length. Synchronous in Node,
 * else it uses the platform's streams.
 */
export function inflateRaw(bytes: Uint8Array, outputBytes: number): Uint8Array | Promise<Uint8Array> {
  const zlib = nodeZlib();
  if (zlib === undefined) return streamInflateRaw(bytes, outputBytes);
  try {
    return requireAll(zlib.inflateRawSync(bytes, inflateOptions(outputBytes)), bytes.length, outputBytes);
  } catch (cause) {
    throw asDeflateError(cause);
  }
}

/** Does the same as {@link deflateRaw} with the same result, in Node on another thread. Pays for thousands of bytes. */
export function deflateRawOffThread(bytes: Uint8Array): Promise<Uint8Array> {
  const zlib = nodeZlib();
  if (zlib === undefined) return streamDeflateRaw(bytes);
  return new Promise((resolve, reject) => {
    // With room for everything, one trip to the other thread is enough.
    const options = { ...COMPRESSION, chunkSize: bytes.length + PIECE_BYTES_MIN };
    zlib.deflateRaw(bytes, options, (error, result) => {
      if (error === null) resolve(plainBytes(result));
      else reject(asDeflateError(error));
    });
  });
}

/** Does the same as {@link inflateRaw}, in Node on another thread. Pays for thousands of bytes. */
export function inflateRawOffThread(bytes: Uint8Array, outputBytes: number): Promise<Uint8Array> {
  const zlib = nodeZlib();
  if (zlib === undefined) return streamInflateRaw(bytes, outputBytes);
  const inflated = new Promise<InflatedBytes>((resolve, reject) => {
    zlib.inflateRaw(bytes, inflateOptions(outputBytes), (error, result) => {
      if (error === null) resolve(result);
      else reject(error);
    });
  });
  return inflated.then(
    (result) => requireAll(result, bytes.length, outputBytes),
    (cause: unknown) => Promise.reject(asDeflateError(cause)),
  );
}

function inflateOptions(outputBytes: number) {
  return {
    info: true,
    // One byte more than needed: a full chunk makes zlib ask for a second one.
    chunkSize: Math.max(outputBytes + 1, PIECE_BYTES_MIN),
    maxOutputLength: Math.max(outputBytes, 1),
  } as const;
}

/** Returns the inflated bytes; throws unless all of the input was used for exactly as many as declared. */
function requireAll({ buffer, engine }: InflatedBytes, inputBytes: number, outputBytes: number): Uint8Array {
  if (engine.bytesWritten !== inputBytes) {
    throw broken(`${inputBytes - engine.bytesWritten} bytes behind the end of the stream`);
  }
  return requireLength(plainBytes(buffer), outputBytes);
}

/**
 * Decompresses a `zlib` (RFC 1950) or `gzip` (RFC 1952) stream of another program to at most `bytesMax` bytes.
 * Throws `ORT_LIMIT` when there are more, without producing them, and `ORT_DEFLATE` when the stream is damaged
 * or truncated. Synchronous in Node, else it uses the platform's streams.
 */
export function inflateUpTo(
  bytes: Uint8Array,
  wrapping: "zlib" | "gzip",
  bytesMax: number,
): Uint8Array | Promise<Uint8Array> {
  const zlib = nodeZlib();
  if (zlib === undefined) return streamInflateUpTo(bytes, wrapping, bytesMax);
  try {
    const options = { maxOutputLength: Math.max(bytesMax, 1), chunkSize: roomFor(bytes.length, bytesMax) };
    return plainBytes(
      wrapping === "zlib" ? zlib.inflateSync(bytes, options) : zlib.gunzipSync(bytes, options),
    );
  } catch (cause) {
    if (cause instanceof RangeError) throw tooLong(bytesMax);
    throw asDeflateError(cause);
  }
}

/**
 * Compresses bytes to a `zlib` (RFC 1950) or `gzip` (RFC 1952) stream for another program. Synchronous in Node, else it uses
 * the platform's streams.
 */
export function deflateWrapped(
  bytes: Uint8Array,
  wrapping: "zlib" | "gzip",
): Uint8Array | Promise<Uint8Array> {
  const zlib = nodeZlib();
  if (zlib !== undefined)
    return plainBytes(wrapping === "zlib" ? zlib.deflateSync(bytes) : zlib.gzipSync(bytes));
  const Stream = typeof CompressionStream === "undefined" ? undefined : CompressionStream;
  return pump(streamOf(Stream, STREAM_FORMATS[wrapping]), bytes, Number.POSITIVE_INFINITY);
}

/** Room for what most streams contain, so that one piece is enough. */
function roomFor(compressedBytes: number, bytesMax: number): number {
  const guessed = Math.min(compressedBytes * GUESSED_RATIO, GUESSED_BYTES_MAX, bytesMax + 1);
  return Math.max(guessed, PIECE_BYTES_MIN);
}

/** Bytes of a stream, and how many compressed ones it took. */
export interface FirstStream {
  readonly output: Uint8Array;
  readonly consumed: number;
}

/**
 * Like {@link inflateUpTo} for a zlib stream that other bytes follow, when nothing else says where it ends. Browsers
 * cannot say it either: there it throws `ORT_PLATFORM`.
 */
export function inflateFirst(bytes: Uint8Array, bytesMax: number): FirstStream {
  const zlib = nodeZlib();
  if (zlib === undefined) throw new OrthantError("ORT_PLATFORM", "only Node says where a zlib stream ends");
  try {
    const { buffer, engine } = zlib.inflateSync(bytes, {
      info: true,
      maxOutputLength: Math.max(bytesMax, 1),
    });
    return { output: plainBytes(buffer), consumed: engine.bytesWritten };
  } catch (cause) {
    if (cause instanceof RangeError) throw tooLong(bytesMax);
    throw asDeflateError(cause);
  }
}

/** Like {@link inflateUpTo}, always with the platform's streams. */
export async function streamInflateUpTo(
  bytes: Uint8Array,
  wrapping: "zlib" | "gzip",
  bytesMax: number,
): Promise<Uint8Array> {
  const stream = streamOf(
    typeof DecompressionStream === "undefined" ? undefined : DecompressionStream,
    STREAM_FORMATS[wrapping],
  );
  try {
    return await pump(stream, bytes, bytesMax, tooLong);
  } catch (cause) {
    throw asDeflateError(cause);
  }
}

/** Like {@link deflateRaw}, always with the platform's streams. */
export async function streamDeflateRaw(bytes: Uint8Array): Promise<Uint8Array> {
  const stream = streamOf(typeof CompressionStream === "undefined" ? undefined : CompressionStream);
  return pump(stream, bytes, Number.POSITIVE_INFINITY);
}

/** Like {@link inflateRaw}, always with the platform's streams. */
export async function streamInflateRaw(bytes: Uint8Array, outputBytes: number): Promise<Uint8Array> {
  const stream = streamOf(typeof DecompressionStream === "undefined" ? undefined : DecompressionStream);
  try {
    return requireLength(await pump(stream, bytes, outputBytes), outputBytes);
  } catch (cause) {
    throw asDeflateError(cause);
  }
}

async function pump(
  stream: ByteTransform,
  bytes: Uint8Array,
  bytesMax: number,
  refuse: (bytesMax: number) => OrthantError = overlong,
): Promise<Uint8Array> {
  const writer = stream.writable.getWriter();
  // The reader gets these errors too.
  writer.write(bytes).catch(() => undefined);
  writer.close().catch(() => undefined);
  const reader = stream.readable.getReader();
  const pieces: Uint8Array[] = [];
  let length = 0;
  for (let next = await reader.read(); !next.done; next = await reader.read()) {
    const { value = new Uint8Array(0) } = next;
    length += value.length;
    if (length > bytesMax) {
      await reader.cancel();
      throw refuse(bytesMax);
    }
    pieces.push(value);
  }
  return joinBytes(pieces);
}

function streamOf(
  Stream: ByteTransformConstructor | undefined,
  format: StreamFormat = "deflate-raw",
): ByteTransform {
  if (Stream === undefined)
    throw new OrthantError("ORT_PLATFORM", "this platform has no compression streams");
  return new Stream(format);
}

function overlong(bytesMax: number): OrthantError {
  return broken(`a stream of more than ${bytesMax} bytes`);
}

function tooLong(bytesMax: number): OrthantError {
  return new OrthantError("ORT_LIMIT", `more than ${bytesMax} bytes come out of compressed ones`);
}

function requireLength(output: Uint8Array, outputBytes: number): Uint8Array {
  if (output.length === outputBytes) return output;
  throw broken(`a stream of ${output.length} bytes, not ${outputBytes}`);
}

function asDeflateError(cause: unknown): OrthantError {
  if (cause instanceof OrthantError) return cause;
  return broken(cause instanceof Error ? cause.message : String(cause), cause);
}

function broken(detail: string, cause?: unknown): OrthantError {
  return new OrthantError("ORT_DEFLATE", detail, {}, { cause });
}
