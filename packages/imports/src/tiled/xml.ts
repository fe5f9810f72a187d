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
const TOKEN =
  /<!--[\s\S]*?-->|<!\[CDATA\[([\s\S]*?)\]\]>|<\?[\s\S]*?\?>|<(\/?)([A-Za-z_][\w.:-]*)((?:[^<>"']|"[^"<]*"|'[^'<]*')*)>|<|[^<]+/g;
const ATTRIBUTE = /\s+([A-Za-z_][\w.:-]*)\s*=\s*(?:"([^"]*)"|'([^']*)')/g;
const ENTITIES: Readonly<Record<string, string>> = { lt: "<", gt: ">", amp: "&", quot: '"', apos: "'" };

/** Parses XML without a document type: no entities but the five of XML and numbers, so that nothing can grow. */
export function parseXml(source: string): XmlElement {
  const root = open("", "");
  const path: OpenElement[] = [root];
  let count = 0;
  for (const { 0: token, 1: data, 2: slash, 3: name, 4: rest, index } of source.matchAll(TOKEN)) {
    const parent = path.at(-1) as OpenElement;
    if (data !== undefined) parent.text += data;
    else if (name === undefined) {
      if (token === "<") throw broken("a < that begins no element", index);
      if (!token.startsWith("<")) parent.text += decodeText(token, index);
    } else if (slash === "/") {
      if (path.length === 1 || parent.name !== name) throw broken(`</${name}> closes nothing`, index);
      path.pop();
    } else {
      if (++count > ELEMENTS_MAX)
        throw new OrthantError("ORT_LIMIT", `more than ${ELEMENTS_MAX} elements of XML`);
      const element = open(name, rest ?? "", index);
      parent.children.push(element);
      if (rest?.endsWith("/") !== true) path.push(element);
      if (path.length > DEPTH_MAX) throw broken(`elements nested deeper than ${DEPTH_MAX}`, index);
    }
  }
  const [only] = root.children;
  if (path.length !== 1 || only === undefined || root.children.length !== 1) {
    throw broken("not one whole element", source.length);
  }
  return only;
}

function open(name: string, rest: string, offset = 0): OpenElement {
  const attributes = new Map<string, string>();
  for (const { 1: key = "", 2: double, 3: single } of rest.matchAll(ATTRIBUTE)) {
    attributes.set(key, decodeText(double ?? single ?? "", offset));
  }
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
          : ENTITIES[named];
      if (character === undefined) throw broken("an entity that XML does not have", offset);
      return character;
    },
  );
}

function broken(detail: string, offset: number): OrthantError {
  return new OrthantError("ORT_FOREIGN", `XML with ${detail}`, { offset });
}
