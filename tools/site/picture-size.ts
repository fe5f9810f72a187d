/** Returns the size of a PNG or an SVG in pixels, so that a page reserves room for it. */
export function pictureSize(bytes: Buffer): { readonly width: number; readonly height: number } {
  if (bytes.subarray(1, 4).toString("latin1") === "PNG") {
    return { width: bytes.readUInt32BE(16), height: bytes.readUInt32BE(20) };
  }
  const sizes = /<svg[^>]* width="(?<width>\d+)" height="(?<height>\d+)"/.exec(
    bytes.toString("utf8"),
  )?.groups;
  if (sizes === undefined) throw new Error("a picture is neither a PNG nor an SVG with a width and a height");
  return { width: Number(sizes["width"]), height: Number(sizes["height"]) };
}
