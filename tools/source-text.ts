/** A stretch of TypeScript text that is not plain code. Offsets count UTF-16 units; `end` is exclusive. */
export interface Literal {
  readonly kind: "comment" | "string" | "template" | "regex";
  readonly start: number;
  readonly end: number;
}

const REGEX_MAY_FOLLOW = /(?:^|[=(,:[!&|?{};+*%<>~^-]|\b(?:return|typeof|case|in|of|yield|await|throw))$/;
const LOOK_BEHIND_LENGTH = 200;
const CODE_ONLY = new Map<string, string>();

/**
 * Finds comments, strings, template parts and regular expressions in one pass. It is a scanner, not a parser:
 * it guesses from the preceding code whether a slash divides or opens a regular expression.
 */
export function scanLiterals(text: string): readonly Literal[] {
  const literals: Literal[] = [];
  const braceDepths: number[] = []; // one entry for each open template substitution
  let code = ""; // the last code seen, to tell a division from a regular expression
  let offset = 0;

  while (offset < text.length) {
    const literal = literalAt(text, offset, code, braceDepths.at(-1) === 0);
    if (literal === undefined) {
      const character = text.charAt(offset);
      const depth = braceDepths.pop();
      if (depth !== undefined)
        braceDepths.push(depth + Number(character === "{") - Number(character === "}"));
      code = (code + character).slice(-LOOK_BEHIND_LENGTH);
      offset++;
      continue;
    }
    if (text[offset] === "}") braceDepths.pop();
    const opensSubstitution = literal.kind === "template" && text.endsWith("${", literal.end);
    if (opensSubstitution) braceDepths.push(0);
    if (literal.kind !== "comment") code = opensSubstitution ? "{" : '"';
    literals.push(literal);
    offset = literal.end;
  }
  return literals;
}

/**
 * Returns the text with comments and contents of literals replaced by spaces: same length, same lines. Remembers
 * its results, because several rules read the same files.
 */
export function codeOnly(text: string): string {
  const known = CODE_ONLY.get(text);
  if (known !== undefined) return known;
  const code = blank(text, (literal) => (literal.kind === "comment" ? 0 : 1), scanLiterals(text));
  CODE_ONLY.set(text, code);
  return code;
}

/** Returns the text of every comment, with everything else replaced by spaces: same length, same lines. */
export function commentsOnly(text: string): string {
  const comments = scanLiterals(text).filter(({ kind }) => kind === "comment");
  let end = 0;
  const gaps = comments.map((comment) => {
    const gap: Literal = { kind: "comment", start: end, end: comment.start };
    end = comment.end;
    return gap;
  });
  return blank(text, () => 0, [...gaps, { kind: "comment", start: end, end: text.length }]);
}

/** Returns the line of `offset`, starting at 1. */
export function lineAt(text: string, offset: number): number {
  return text.slice(0, offset).split("\n").length;
}

function literalAt(
  text: string,
  start: number,
  codeBefore: string,
  closesSubstitution: boolean,
): Literal | undefined {
  const character = text[start];
  if (text.startsWith("//", start)) return { kind: "comment", start, end: endBefore(text, "\n", start) };
  if (text.startsWith("/*", start)) return { kind: "comment", start, end: endAfter(text, "*/", start + 2) };
  if (character === '"' || character === "'") return { kind: "string", start, end: endOfString(text, start) };
  if (character === "`" || (character === "}" && closesSubstitution)) {
    return { kind: "template", start, end: endOfTemplate(text, start) };
  }
  if (character === "/" && REGEX_MAY_FOLLOW.test(codeBefore.trimEnd())) {
    return { kind: "regex", start, end: endOfRegex(text, start) };
  }
  return undefined;
}

function endBefore(text: string, mark: string, from: number): number {
  const found = text.indexOf(mark, from);
  return found === -1 ? text.length : found;
}

function endAfter(text: string, mark: string, from: number): number {
  const found = text.indexOf(mark, from);
  return found === -1 ? text.length : found + mark.length;
}

function endOfString(text: string, start: number): number {
  for (let offset = start + 1; offset < text.length; offset++) {
    if (text[offset] === "\\") offset++;
    else if (text[offset] === text[start] || text[offset] === "\n") return offset + 1;
  }
  return text.length;
}

/** A template part ends with its closing backtick, or with the dollar and brace of a substitution. */
function endOfTemplate(text: string, start: number): number {
  for (let offset = start + 1; offset < text.length; offset++) {
    if (text[offset] === "\\") offset++;
    else if (text[offset] === "`") return offset + 1;
    else if (text.startsWith("${", offset)) return offset + 2;
  }
  return text.length;
}

function endOfRegex(text: string, start: number): number {
  let insideClass = false;
  for (let offset = start + 1; offset < text.length; offset++) {
    const character = text[offset];
    if (character === "\\") offset++;
    else if (character === "[") insideClass = true;
    else if (character === "]") insideClass = false;
    else if (character === "\n" || (character === "/" && !insideClass)) return offset + 1;
  }
  return text.length;
}

function blank(
  text: string,
  keptAtEachEnd: (literal: Literal) => number,
  literals: readonly Literal[],
): string {
  let result = "";
  let offset = 0;
  for (const literal of literals) {
    const kept = keptAtEachEnd(literal);
    const start = literal.start + kept;
    const end = Math.max(start, literal.end - kept);
    result += text.slice(offset, start) + text.slice(start, end).replace(/[^\n]/g, " ");
    offset = end;
  }
  return result + text.slice(offset);
}
