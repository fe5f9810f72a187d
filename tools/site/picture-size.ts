/** Returns the size of a PNG, a WebP (as browsers write it) or an SVG in pixels, so that a page reserves room for it. */
export function pictureSize(bytes: Buffer): { readonly width: number; readonly height: number } {
  if (bytes.subarray(1, 4).toString("latin1") === "PNG") {
    return { width: bytes.readUInt32BE(16), height: bytes.readUInt32BE(20) };
  }
  if (bytes.subarray(8, 16).toString("latin1") === "WEBPVP8X") {
    return { width: bytes.readUIntLE(24, 3) + 1, height: bytes.readUIntLE(27, 3) + 1 };
  }
  if (bytes.subarray(8, 16).toString("latin1") === "WEBPVP8 ") {
    // The two highest bits of each scale the picture.
    return { width: bytes.readUInt16LE(26) & 0x3fff, height: bytes.readUInt16LE(28) & 0x3fff };
  }
  const sizes = /<svg[^>]* width="(?<width>\d+)" height="(?<height>\d+)"/.exec(
    bytes.toString("utf8"),
  )?.groups;
  if (sizes === undefined)
    throw new Error(
      "a picture is neither a PNG, a WebP as browsers write it nor an SVG with a width and a height",
    );
  return { width: Number(sizes["width"]), height: Number(sizes["height"]) };
}
