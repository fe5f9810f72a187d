/** The part of Node's zlib used here. */
interface NodeZlib {
  readonly crc32?: (bytes: Uint8Array, previous?: number) => number;
  deflateRawSync(
    bytes: Uint8Array,
    options: { readonly level: number; readonly memLevel: number },
  ): Uint8Array;
  inflateRawSync(
    bytes: Uint8Array,
    options: { readonly info: true; readonly chunkSize: number; readonly maxOutputLength: number },
  ): InflatedBytes;
  deflateRaw(
    bytes: Uint8Array,
    options: { readonly level: number; readonly memLevel: number; readonly chunkSize: number },
    done: (error: Error | null, result: Uint8Array) => void,
  ): void;
  inflateRaw(
    bytes: Uint8Array,
    options: { readonly info: true; readonly chunkSize: number; readonly maxOutputLength: number },
    done: (error: Error | null, result: InflatedBytes) => void,
  ): void;
  deflateSync(bytes: Uint8Array): Uint8Array;
  gzipSync(bytes: Uint8Array): Uint8Array;
  inflateSync(
    bytes: Uint8Array,
    options: { readonly maxOutputLength: number; readonly chunkSize: number },
  ): Uint8Array;
  inflateSync(
    bytes: Uint8Array,
    options: { readonly info: true; readonly maxOutputLength: number },
  ): InflatedBytes;
  gunzipSync(
    bytes: Uint8Array,
    options: { readonly maxOutputLength: number; readonly chunkSize: number },
  ): Uint8Array;
}

/** Inflated bytes, and the number of bytes that they were made from. */
export interface InflatedBytes {
  readonly buffer: Uint8Array;
  readonly engine: { readonly bytesWritten: number };
}

declare const process: { getBuiltinModule?(name: "node:zlib"): NodeZlib | undefined } | undefined;

/**
 * Returns Node's zlib, or `undefined` on other platforms. Only here does the core check its platform. The
 * lookup by name keeps the import hidden from browser bundlers.
 */
export function nodeZlib(): NodeZlib | undefined {
  return typeof process === "undefined" ? undefined : process.getBuiltinModule?.("node:zlib");
}
