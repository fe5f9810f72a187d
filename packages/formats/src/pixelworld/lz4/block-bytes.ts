/** The most bytes that an LZ4 block of so many bytes can take: what cannot be compressed grows a little. */
export function blockBytesMax(bytes: number): number {
  return bytes + Math.floor(bytes / 255) + 16;
}
