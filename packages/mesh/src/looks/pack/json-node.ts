import { OrthantError } from "@orthant/core";

/** A value of a JSON text, with the place where it begins, for messages. */
export interface JsonNode {
  /** The names and indices that lead to it, such as `blocks.grass.top`. */
  readonly path: string;
  /** Units of the text before it; `undefined` if it does not come from a text. */
  readonly offset: number | undefined;
  readonly value: string | number | boolean | null | readonly JsonNode[] | ReadonlyMap<string, JsonNode>;
}

/** Maximum number of objects and lists inside each other. */
const DEPTH_MAX = 32;
/** Maximum number of values in an object that a program made, in which one list may be many times. */
const VALUES_MAX = 262_144;
const SPACE = /[ \t\r\n]*/y;
const LITERAL = /true|false|null|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;

/** Reads a JSON text. Throws `ORT_FOREIGN` with the offset where it is not JSON. */
export function parseJsonNode(text: string): JsonNode {
  const parser = new Parser(text);
  return parser.whole();
}

/** Returns the same for a value that a program made. Throws `ORT_LIMIT` for too many values. */
export function jsonNodeOf(value: unknown): JsonNode {
  return new NodeMaker().nodeOf(value, "", 0);
}

class NodeMaker {
  #count = 0;

  nodeOf(value: unknown, path: string, depth: number): JsonNode {
    const offset = undefined;
    if (depth > DEPTH_MAX) throw tooDeep({});
    if (Array.isArray(value)) {
      this.#add(value.length);
      // Unlike map, this also visits holes.
      const items = Array.from(value, (item, index) => this.nodeOf(item, joined(path, index), depth + 1));
      return { path, offset, value: items };
    }
    if (typeof value === "object" && value !== null && !ArrayBuffer.isView(value)) {
      const fields = Object.entries(value).filter(([, field]) => field !== undefined);
      this.#add(fields.length);
      const nodes = fields.map(
        ([name, field]) => [name, this.nodeOf(field, joined(path, name), depth + 1)] as const,
      );
      return { path, offset, value: new Map(nodes) };
    }
    const isPlain = typeof value === "string" || typeof value === "boolean" || Number.isFinite(value);
    return { path, offset, value: isPlain ? (value as string) : null };
  }

  #add(count: number): void {
    this.#count += count;
    if (this.#count > VALUES_MAX) throw new OrthantError("ORT_LIMIT", `more than ${VALUES_MAX} values`);
  }
}

class Parser {
  readonly #text: string;
  #at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  whole(): JsonNode {
    const node = this.#value("", 0);
    this.#skipSpace();
    if (this.#at < this.#text.length) throw this.#fail("nothing may follow the end of the object");
    return node;
  }

  #value(path: string, depth: number): JsonNode {
    this.#skipSpace();
    if (depth > DEPTH_MAX) throw tooDeep({ offset: this.#at });
    const offset = this.#at;
    switch (this.#text[offset]) {
      case "{":
        return { path, offset, value: this.#object(path, depth) };
      case "[":
        return { path, offset, value: this.#list(path, depth) };
      case '"':
        return { path, offset, value: this.#string() };
      default:
        return { path, offset, value: JSON.parse(this.#match(LITERAL, "a value")) as number };
    }
  }

  #object(path: string, depth: number): Map<string, JsonNode> {
    const fields = new Map<string, JsonNode>();
    this.#items("}", () => {
      this.#skipSpace();
      const start = this.#at;
      const name = this.#string();
      if (fields.has(name)) {
        this.#at = start;
        throw this.#fail(`the name ${JSON.stringify(name)} is there twice`);
      }
      this.#skipSpace();
      if (this.#text[this.#at] !== ":") throw this.#fail('a ":" is missing');
      this.#at++;
      fields.set(name, this.#value(joined(path, name), depth + 1));
    });
    return fields;
  }

  #list(path: string, depth: number): JsonNode[] {
    const items: JsonNode[] = [];
    this.#items("]", () => items.push(this.#value(joined(path, items.length), depth + 1)));
    return items;
  }

  /** Reads what stands between two brackets, separated by commas. */
  #items(end: "}" | "]", readItem: () => void): void {
    this.#at++;
    this.#skipSpace();
    if (this.#text[this.#at] === end) {
      this.#at++;
      return;
    }
    while (true) {
      readItem();
      this.#skipSpace();
      const next = this.#text[this.#at];
      if (next !== end && next !== ",") throw this.#fail(`a "," or "${end}" is missing`);
      this.#at++;
      if (next === end) return;
      this.#skipSpace();
      if (this.#text[this.#at] === end) throw this.#fail('there may be no "," before the end');
    }
  }

  #string(): string {
    const start = this.#at;
    if (this.#text[start] !== '"') throw this.#fail("a text in quotes is missing");
    let end = start + 1;
    while (end < this.#text.length && this.#text[end] !== '"') end += this.#text[end] === "\\" ? 2 : 1;
    this.#at = end + 1;
    try {
      return JSON.parse(this.#text.slice(start, end + 1)) as string;
    } catch {
      // What the platform says of it differs from one to the next.
      this.#at = start;
      throw this.#fail("the text in quotes does not end on its line, or has a wrong escape");
    }
  }

  #match(pattern: RegExp, wanted: string): string {
    pattern.lastIndex = this.#at;
    const found = pattern.exec(this.#text)?.[0];
    if (found === undefined) throw this.#fail(`${wanted} is missing`);
    this.#at += found.length;
    return found;
  }

  #skipSpace(): void {
    SPACE.lastIndex = this.#at;
    this.#at += SPACE.exec(this.#text)?.[0].length ?? 0;
  }

  #fail(detail: string): OrthantError {
    return new OrthantError("ORT_FOREIGN", detail, { offset: this.#at });
  }
}

function joined(path: string, part: string | number): string {
  if (typeof part === "number") return `${path}[${part}]`;
  return path === "" ? part : `${path}.${part}`;
}

function tooDeep(context: { readonly offset?: number }): OrthantError {
  return new OrthantError(
    "ORT_LIMIT",
    `more than ${DEPTH_MAX} objects and lists are inside each other`,
    context,
  );
}
