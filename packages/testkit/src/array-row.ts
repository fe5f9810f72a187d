/** Bounds of five chunks in a row: two pages, of four cells and of one. */
const ROW_HEX = "00000000 08000000";
const ROW_EXTENTS = "05000000 01000000 01000000 01000000";
const AIR_AND_STONE = "02 00 0101";

/** Builds the bytes of a chunk array over five chunks in a row from its parts, each of which a test may break. */
export function arrayRowHex({
  palette = AIR_AND_STONE,
  indexCodec = "01",
  header = "01 04 0000",
  extents = ROW_EXTENTS,
  pages = "",
  defaultIndex = "00",
}: {
  readonly palette?: string;
  readonly indexCodec?: string;
  readonly header?: string;
  readonly extents?: string;
  readonly pages?: string;
  readonly defaultIndex?: string;
}): string {
  const data = `${header} ${extents} ${pages}`.replaceAll(" ", "");
  const length = (data.length / 2).toString(16).padStart(2, "0");
  return `${ROW_HEX} ${palette} ${indexCodec} ${length} ${data} ${defaultIndex}`.replaceAll(" ", "");
}
