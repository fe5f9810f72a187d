import { OrthantError } from "@orthant/core";
import { decodeUtf8 } from "@orthant/core/bytes";
import { parseXml, type XmlElement } from "./xml.ts";

/** A part of a map in the shape of Tiled's JSON; of XML, every value is text. */
export type TiledRecord = Readonly<Record<string, unknown>>;

const LAYER_TYPES: ReadonlyMap<string, string> = new Map([
  ["layer", "tilelayer"],
  ["group", "group"],
  ["objectgroup", "objectgroup"],
  ["imagelayer", "imagelayer"],
]);

/** Parses a map or a tileset, JSON or XML, as its first character says. */
export function parseTiledSource(bytes: Uint8Array): TiledRecord {
  const decoded = decodeUtf8(bytes, 0, bytes.length);
  if (decoded === undefined) throw new OrthantError("ORT_UTF8", "text that is not UTF-8");
  const text = decoded.replace(/^\ufeff/, "");
  if (text.trimStart().startsWith("<")) return recordOf(parseXml(text));
  try {
    return asRecord(JSON.parse(text)) ?? {};
  } catch (cause) {
    throw new OrthantError("ORT_FOREIGN", `neither JSON nor XML: ${String(cause)}`, {}, { cause });
  }
}

/** Returns a value as a record, if it is one. */
export function asRecord(value: unknown): TiledRecord | undefined {
  return typeof value === "object" && value !== null && !Array.isArray(value)
    ? (value as TiledRecord)
    : undefined;
}

/** Returns the records of a list; none if it is not a list. */
export function recordsIn(value: unknown): readonly TiledRecord[] {
  if (!Array.isArray(value)) return [];
  return value.map(asRecord).filter((record) => record !== undefined);
}

/** Returns a number, also one that is written as text. */
export function asNumber(value: unknown): number | undefined {
  const number = typeof value === "string" && value.trim() !== "" ? Number(value) : value;
  return typeof number === "number" && Number.isFinite(number) ? number : undefined;
}

/** Returns a text. */
export function asText(value: unknown): string | undefined {
  return typeof value === "string" ? value : undefined;
}

/** Returns a truth: `true`, 1 or text of either. */
export function asTruth(value: unknown, otherwise: boolean): boolean {
  return value === undefined ? otherwise : value === true || value === 1 || value === "1" || value === "true";
}

function recordOf(element: XmlElement): TiledRecord {
  const { attributes, children, text } = element;
  const layers = children.filter(({ name }) => LAYER_TYPES.has(name));
  const named = (name: string): readonly XmlElement[] => children.filter((child) => child.name === name);
  const properties = named("properties").flatMap((list) => list.children.map(propertyOf));
  const [data] = named("data");
  return {
    ...Object.fromEntries(attributes),
    ...(properties.length > 0 && { properties }),
    ...(layers.length > 0 && {
      layers: layers.map((layer) => ({ ...recordOf(layer), type: LAYER_TYPES.get(layer.name) })),
    }),
    ...(named("tileset").length > 0 && { tilesets: named("tileset").map(recordOf) }),
    ...(named("object").length > 0 && { objects: named("object").map(objectOf) }),
    ...(data !== undefined && dataOf(data)),
    ...(element.name === "text" && { text }),
  };
}

function dataOf(data: XmlElement): TiledRecord {
  const encoding = data.attributes.get("encoding");
  const compression = data.attributes.get("compression");
  const chunks = data.children.filter(({ name }) => name === "chunk");
  const content = (holder: XmlElement): unknown =>
    encoding === undefined
      ? holder.children.map((tile) => asNumber(tile.attributes.get("gid")) ?? 0)
      : holder.text;
  return {
    encoding,
    compression,
    ...(chunks.length > 0
      ? { chunks: chunks.map((chunk) => ({ ...Object.fromEntries(chunk.attributes), data: content(chunk) })) }
      : { data: content(data) }),
  };
}

function propertyOf({ attributes, text }: XmlElement): TiledRecord {
  const type = attributes.get("type") ?? "string";
  const written = attributes.get("value") ?? text;
  const value =
    type === "int" || type === "float" || type === "object"
      ? asNumber(written)
      : type === "bool"
        ? written === "true"
        : written;
  return { name: attributes.get("name"), type, value };
}

function objectOf(element: XmlElement): TiledRecord {
  const child = (name: string): XmlElement | undefined =>
    element.children.find((found) => found.name === name);
  const points = (name: string): readonly TiledRecord[] | undefined =>
    child(name)
      ?.attributes.get("points")
      ?.split(" ")
      .map((pair) => ({ x: pair.split(",")[0], y: pair.split(",")[1] }));
  const text = child("text");
  return {
    ...recordOf(element),
    ...(child("point") && { point: true }),
    ...(child("ellipse") && { ellipse: true }),
    ...(child("polygon") && { polygon: points("polygon") }),
    ...(child("polyline") && { polyline: points("polyline") }),
    ...(text && { text: { text: text.text } }),
  };
}
