/** What of Node's zlib is used here. */
export interface NodeZlib {
  readonly crc32?: (bytes: Uint8Array, previous?: number) => number;
  deflateRawSync(bytes: Uint8Array, options: { readonly level: number }): Uint8Array;
  inflateRawSync(
    bytes: Uint8Array,
    options: { readonly info: true; readonly chunkSize: number; readonly maxOutputLength: number },
  ): { readonly buffer: Uint8Array; readonly engine: { readonly bytesWritten: number } };
}

declare const process: { getBuiltinModule?(name: "node:zlib"): NodeZlib | undefined } | undefined;

/**
 * Node's zlib; `undefined` on other platforms. The one place where the core asks what platform it runs on. Looked up by
 * name, so that a bundler for the browser sees no import.
 */
export function nodeZlib(): NodeZlib | undefined {
  return typeof process === "undefined" ? undefined : process.getBuiltinModule?.("node:zlib");
}
