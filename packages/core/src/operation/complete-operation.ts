import { requireAtMost, requireText } from "../arguments/checks.ts";
import type { BlockCatalog } from "../chunk/block-catalog.ts";
import { isOrthantError } from "../error/orthant-error.ts";
import type { Dimensions } from "../lattice/position.ts";
import { OPERATION_TEXT_LENGTH_MAX } from "./operation-limits.ts";
import { dimensionsIn, type OperationTextOptions } from "./parse-operation.ts";
import { MASK_WORDS, PATTERN_WORDS, SELECTION_WORDS } from "./text/operand-reader.ts";
import { OPERATION_WORDS } from "./text/operation-reader.ts";
import { readOperation } from "./text/read-text.ts";
import { isBareBlock, isBareWord } from "./text/text-scanner.ts";

/** What may stand at the end of the text of an operation. */
export interface OperationCompletion {
  /** Where the word begins that would be replaced. */
  readonly from: number;
  /** What may stand there, the likeliest first. */
  readonly words: readonly string[];
}

const WORDS_MAX = 12;
/** A name in quotes, a tag or a word, which need not be complete. */
const LAST_WORD = /(?:"[^"]*|#?[\p{L}\p{M}\p{N}_:./-]*)$/u;
/** The properties behind the name of a block, which need not be complete. */
const PROPERTIES = /(?:"([^"]*)"|([\p{L}\p{M}\p{N}_:./-]+))\[([^\][]*)$/u;
const COLUMN = /column (\d+):/;

/**
 * Returns the words with which the text of an operation may go on: those of the grammar, and names of a world's blocks,
 * tags and properties.
 *
 * @example
 * completeOperation("replace sto", world.blocks); // { from: 8, words: ["stone"] }
 */
export function completeOperation(
  text: string,
  catalog: BlockCatalog,
  options: OperationTextOptions = {},
): OperationCompletion {
  const dimensions = dimensionsIn(options);
  requireAtMost(
    requireText("text", text).length,
    OPERATION_TEXT_LENGTH_MAX,
    "letters of a text",
    "write a shorter one",
  );
  const inside = PROPERTIES.exec(text);
  if (inside !== null) return propertiesBehind(inside, text, catalog);
  const [last = ""] = LAST_WORD.exec(text) ?? [];
  const from = text.length - last.length;
  const before = text.slice(0, from);
  const wanted = last.replace(/^["#]/, "").toLowerCase();
  const fits = ({ name, written }: Candidate): boolean =>
    name.toLowerCase().includes(wanted) &&
    (!last.startsWith("#") || written.startsWith("#")) &&
    written !== last &&
    mayStand(before, written, dimensions);
  const found: string[] = [];
  const candidates = before.trim() === "" ? wordsOf(OPERATION_WORDS, "") : candidatesOf(catalog);
  // A single letter is in most words.
  for (const begins of wanted.length === 1 ? [true] : [true, false])
    for (const candidate of candidates)
      if (
        found.length < WORDS_MAX &&
        candidate.name.toLowerCase().startsWith(wanted) === begins &&
        fits(candidate)
      )
        found.push(candidate.written);
  return { from, words: found };
}

interface Candidate {
  readonly name: string;
  readonly written: string;
}

function candidatesOf(catalog: BlockCatalog): readonly Candidate[] {
  const types = catalog.types.filter(({ retired }) => !retired);
  const tags = [...new Set(types.flatMap((type) => type.tags))].sort();
  return [
    ...types.map(({ name }) => ({ name, written: isBareBlock(name) ? name : JSON.stringify(name) })),
    ...tags.map((tag) => ({ name: tag, written: `#${isBareWord(tag) ? tag : JSON.stringify(tag)}` })),
    ...wordsOf(["in", "seed"], " "),
    ...wordsOf([...new Set([...MASK_WORDS, ...PATTERN_WORDS, ...SELECTION_WORDS])], "("),
  ];
}

function wordsOf(words: readonly string[], end: string): readonly Candidate[] {
  return words.map((name) => ({ name, written: name + end }));
}

/** Whether a text is right as far as behind a word. */
function mayStand(before: string, word: string, dimensions: Dimensions): boolean {
  try {
    readOperation("text", before + word, dimensions);
    return true;
  } catch (error) {
    if (!isOrthantError(error, "ORT_ARGUMENT")) throw error;
    const [, column = "0"] = COLUMN.exec(error.detail) ?? [];
    return Number(column) > before.length + word.trimEnd().length;
  }
}

function propertiesBehind(
  [, quoted, bare, inside = ""]: RegExpExecArray,
  text: string,
  catalog: BlockCatalog,
): OperationCompletion {
  const last = inside.slice(inside.lastIndexOf(",") + 1).trimStart();
  const properties = catalog.byName(quoted ?? bare ?? "")?.properties ?? [];
  const words = properties.flatMap(({ name, values }) =>
    last.startsWith(`${name}=`) ? values.map((value) => `${name}=${value}`) : [`${name}=`],
  );
  return {
    from: text.length - last.length,
    words: words.filter((word) => word.startsWith(last) && word !== last).slice(0, WORDS_MAX),
  };
}
