import { OrthantError } from "@orthant/core";

/** An element of XML. */
export interface XmlElement {
  readonly name: string;
  readonly attributes: ReadonlyMap<string, string>;
  readonly children: readonly XmlElement[];
  /** All text directly in it. */
  readonly text: string;
}

interface OpenElement extends XmlElement {
  readonly children: OpenElement[];
  text: string;
}

const DEPTH_MAX = 128;
/** Maximum number of elements: each takes hundreds of bytes in memory, and four in a file. */
const ELEMENTS_MAX = 1_048_576;
const START = /<(\/?)([A-Za-z_][\w.:-]{0,255})/y;
const ATTRIBUTE = /\s+([A-Za-z_][\w.:-]{0,255})\s*=\s*(?:"([^"<]*)"|'([^'<]*)')/y;
const END = /\s*(\/?)>/y;
/** What has no element: how it begins and ends, and whether what is between is text. */
const MARKS = [
  { start: "<!--", end: "-->", isText: false },
  { start: "<![CDATA[", end: "]]>", isText: true },
  { start: "<?", end: "?>", isText: false },
];
const ENTITIES: ReadonlyMap<string, string> = new Map([
  ["lt", "<"],
  ["gt", ">"],
  ["amp", "&"],
  ["quot", '"'],
  ["apos", "'"],
]);

/**
 * Parses XML without a document type: no entities but the five of XML and numbers, so that nothing can grow. Takes time in
 * proportion to the text.
 */
export function parseXml(source: string): XmlElement {
  const root = open("", new Map());
  const path: OpenElement[] = [root];
  let count = 0;
  for (let offset = 0; offset < source.length; ) {
    const parent = path.at(-1) as OpenElement;
    const found = source.indexOf("<", offset);
    const start = found < 0 ? source.length : found;
    if (start > offset) parent.text += decodeText(source.slice(offset, start), offset);
    if (found < 0) break;
    const mark = MARKS.find((candidate) => source.startsWith(candidate.start, start));
    if (mark !== undefined) {
      const from = start + mark.start.length;
      const end = source.indexOf(mark.end, from);
      if (end < 0) throw broken(`${mark.start} without an end`, start);
      if (mark.isText) parent.text += source.slice(from, end);
      offset = end + mark.end.length;
      continue;
    }
    const tag = readTag(source, start);
    offset = tag.end;
    if (tag.isClosing) {
      if (path.length === 1 || parent.name !== tag.name) throw broken(`</${tag.name}> closes nothing`, start);
      path.pop();
      continue;
    }
    if (++count > ELEMENTS_MAX)
      throw new OrthantError("ORT_LIMIT", `more than ${ELEMENTS_MAX} elements of XML`);
    const element = open(tag.name, tag.attributes);
    parent.children.push(element);
    if (!tag.isEmpty) path.push(element);
    if (path.length > DEPTH_MAX) throw broken(`elements nested deeper than ${DEPTH_MAX}`, start);
  }
  const [only] = root.children;
  if (path.length !== 1 || only === undefined || root.children.length !== 1) {
    throw broken("not one whole element", source.length);
  }
  return only;
}

interface Tag {
  readonly name: string;
  readonly isClosing: boolean;
  readonly isEmpty: boolean;
  readonly attributes: ReadonlyMap<string, string>;
  readonly end: number;
}

function readTag(source: string, start: number): Tag {
  const head = matchAt(START, source, start);
  if (head === null) throw broken("a < that begins no element", start);
  const attributes = new Map<string, string>();
  let offset = start + head[0].length;
  for (let match = matchAt(ATTRIBUTE, source, offset); match !== null; ) {
    attributes.set(match[1] ?? "", decodeText(match[2] ?? match[3] ?? "", offset));
    offset += match[0].length;
    match = matchAt(ATTRIBUTE, source, offset);
  }
  const tail = matchAt(END, source, offset);
  if (tail === null) throw broken("an element that does not end", offset);
  const name = head[2] ?? "";
  return {
    name,
    isClosing: head[1] === "/",
    isEmpty: tail[1] === "/",
    attributes,
    end: offset + tail[0].length,
  };
}

function matchAt(pattern: RegExp, source: string, offset: number): RegExpExecArray | null {
  pattern.lastIndex = offset;
  return pattern.exec(source);
}

function open(name: string, attributes: ReadonlyMap<string, string>): OpenElement {
  return { name, attributes, children: [], text: "" };
}

function decodeText(text: string, offset: number): string {
  if (!text.includes("&")) return text;
  return text.replaceAll(
    /&(?:#x([0-9a-fA-F]{1,6})|#(\d{1,7})|(\w{1,8}));|&/g,
    (_all, hex, decimal, named) => {
      const point = hex === undefined ? Number(decimal) : Number.parseInt(hex, 16);
      const character =
        named === undefined
          ? point <= 0x10_ffff
            ? String.fromCodePoint(point)
            : undefined
          : ENTITIES.get(named);
      if (character === undefined) throw broken("an entity that XML does not have", offset);
      return character;
    },
  );
}

function broken(detail: string, offset: number): OrthantError {
  return new OrthantError("ORT_FOREIGN", `XML with ${detail}`, { offset });
}
