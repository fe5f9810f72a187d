/** Returns the maximum size of an LZ4 block for `bytes` input bytes; incompressible input grows slightly. */
export function blockBytesMax(bytes: number): number {
  return bytes + Math.floor(bytes / 255) + 16;
}
