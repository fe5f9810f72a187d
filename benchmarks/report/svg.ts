import { readable } from "../figure.ts";

/** A picture cannot know whether its page is light or dark: these colours are readable on both. */
const INK = "#757d87";
/** For lines behind the figures. */
export const FAINT_INK = "#757d8755";

/** What stands above a picture, and its size. */
interface PictureHead {
  readonly title: string;
  /** A line below the title. */
  readonly said: string;
  readonly width: number;
  readonly height: number;
}

/** Returns a self-contained SVG with these elements below its title. */
export function picture({ title, said, width, height }: PictureHead, elements: readonly string[]): string {
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img" font-family="system-ui, -apple-system, 'Segoe UI', sans-serif" font-size="13" fill="${INK}">`,
    `<title>${escaped(`${title}: ${said}`)}</title>`,
    text(8, 22, title, 'font-size="16" font-weight="600"'),
    text(8, 42, said, ""),
    ...elements,
    "</svg>",
    "",
  ].join("\n");
}

/** Formats `12,300`, and `0.2` for a rounding result such as 0.2000000001. */
export function withCommas(value: number): string {
  if (value < 1_000) return String(Number(readable(value)));
  return value.toFixed(0).replaceAll(/\B(?=(\d{3})+$)/g, ",");
}

/** Returns text at a position, with attributes such as `font-size`. */
export function text(x: number, y: number, content: string, attributes: string): string {
  return `<text x="${Number(x.toFixed(1))}" y="${Number(y.toFixed(1))}"${attributes === "" ? "" : ` ${attributes}`}>${escaped(content)}</text>`;
}

function escaped(content: string): string {
  return content.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}
