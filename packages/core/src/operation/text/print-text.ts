import { printableName } from "../../arguments/printable.ts";
import type { BlockProperties } from "../../chunk/block-ids.ts";
import { OrthantError } from "../../error/orthant-error.ts";
import type { Clipboard } from "../clipboard.ts";
import type {
  BlockChoice,
  BlockPattern,
  Mask,
  NextToMask,
  Operation,
  OperationKind,
  Pattern,
  Selection,
} from "../operation.ts";
import { numberText } from "./number-text.ts";
import { isBareBlock, isBareWord } from "./text-scanner.ts";

/** Collects the clipboards of an operation, and returns the number that stands for one in its text. */
export type ClipboardNumber = (clipboard: Clipboard) => number;

// The shortest texts of checked values. A value within others gets parentheses where a sign outside binds more strongly.

const PERCENT_SHIFT = 2;
/** How strongly the signs of masks bind: `|`, `&` and `!`. */
const ANY = 1;
const ALL = 2;
const NOT = 3;

/** Returns the text of a checked operation. Without `numberOf`, clipboards have none. */
export function operationText(operation: Operation, numberOf?: ClipboardNumber): string {
  const { in: selection, seed } = operation;
  return words(
    operationWords(operation, numberOf),
    selection && `in ${selectionText(selection)}`,
    seed === undefined ? undefined : `seed ${seed}`,
  );
}

/** Returns the text of a checked mask, inside of a sign that binds with some strength. */
export function maskText(mask: Mask, outside = 0): string {
  if (typeof mask === "string") return mask;
  if ("block" in mask) return `${blockText(mask.block)}${propertiesText(mask.properties)}`;
  if ("tag" in mask) return `#${nameText(mask.tag)}`;
  if ("is" in mask) return call(mask.is);
  if ("above" in mask) return call("above", maskText(mask.above));
  if ("below" in mask) return call("below", maskText(mask.below));
  if ("nextTo" in mask) return nextToText(mask);
  if ("inside" in mask) return call("in", selectionText(mask.inside));
  if ("chance" in mask) return call("chance", percentText(mask.chance));
  if ("noise" in mask) return call("noise", numberText(mask.noise), percentText(mask.share));
  if ("shifted" in mask) return call("shift", ...mask.by.map(String), maskText(mask.shifted));
  if ("not" in mask) return `!${maskText(mask.not, NOT)}`;
  if ("all" in mask) return grouped(mask.all.map((part) => maskText(part, ALL)).join("&"), outside >= ALL);
  return grouped(mask.any.map((part) => maskText(part, ANY)).join("|"), outside >= ANY);
}

/** Returns the text of a checked pattern. */
export function patternText(pattern: Pattern, numberOf?: ClipboardNumber): string {
  if (typeof pattern === "string" || !("mixed" in pattern)) return onePatternText(pattern, numberOf);
  const isEven = pattern.mixed.every(({ weight }) => weight === 1);
  return pattern.mixed
    .map(
      ({ weight, pattern: part }) =>
        `${isEven ? "" : `${numberText(weight)}%`}${onePatternText(part, numberOf)}`,
    )
    .join(",");
}

/** Returns the text of a checked selection. */
export function selectionText(selection: Selection): string {
  if ("unit" in selection) return call("box", ...[...selection.min, ...selection.max].map(String));
  if ("sphere" in selection) {
    const { sphere, radius } = selection;
    const radii = typeof radius === "number" ? [radius] : radius;
    return call("sphere", ...sphere.map(String), ...radii.map((each) => numberText(each)));
  }
  if ("cylinder" in selection) {
    const { cylinder, radius, height, along } = selection;
    return call("cylinder", ...cylinder.map(String), numberText(radius), `${height}`, along);
  }
  if ("prism" in selection)
    return call("prism", selectionText(selection.within), ...selection.prism.flat().map(String));
  if ("connected" in selection) {
    const { connected, through, limit } = selection;
    return call("connected", ...connected.map(String), maskText(through), `${limit}`);
  }
  if ("union" in selection) return call("union", ...selection.union.map(selectionText));
  if ("intersection" in selection) return call("intersection", ...selection.intersection.map(selectionText));
  return call("difference", ...selection.difference.map(selectionText));
}

function operationWords(operation: OperationKind, numberOf: ClipboardNumber | undefined): string {
  const textOf = (pattern: Pattern): string => patternText(pattern, numberOf);
  if ("set" in operation) return words("set", choiceText("set", operation.set, numberOf));
  if ("replace" in operation)
    return words("replace", maskText(operation.replace), choiceText("with", operation.with, numberOf));
  if ("outline" in operation) return words("outline", textOf(operation.outline), operation.thickness);
  if ("walls" in operation) return words("walls", textOf(operation.walls), operation.thickness);
  if ("hollow" in operation) {
    const text = textOf(operation.hollow);
    return words("hollow", text === "air" ? undefined : text, operation.thickness);
  }
  if ("line" in operation) return words("line", ...drawnWords(operation.line, operation, textOf));
  if ("curve" in operation) return words("curve", ...drawnWords(operation.curve, operation, textOf));
  if ("overlay" in operation) return words("overlay", textOf(operation.overlay), operation.depth);
  if ("naturalize" in operation)
    return words("naturalize", ...operation.naturalize.map(textOf), operation.depth);
  if ("smooth" in operation) return words("smooth", operation.smooth === 1 ? undefined : operation.smooth);
  if ("drain" in operation) return words("drain", maskText(operation.drain));
  if ("move" in operation) {
    const { move, leave } = operation;
    return words("move", move.join(), leave && textOf(leave));
  }
  if ("stack" in operation) return words("stack", operation.stack, operation.by.join());
  if ("rotate" in operation) return words("rotate", operation.rotate, operation.turns);
  if ("mirror" in operation) return words("mirror", operation.mirror);
  if ("regenerate" in operation) return "regenerate";
  if (numberOf === undefined) throw noText("operation.paste", "a clipboard");
  const { paste, at, only } = operation;
  return words("paste", clipboardText(paste, numberOf), at.join(), only && maskText(only));
}

function drawnWords(
  points: readonly (readonly number[])[],
  { with: pattern, radius }: { readonly with: Pattern; readonly radius?: number },
  textOf: (pattern: Pattern) => string,
): readonly (string | undefined)[] {
  const radiusText = radius === undefined ? undefined : numberText(radius);
  return [...points.map((point) => point.join()), textOf(pattern), radiusText];
}

function choiceText(
  field: string,
  choice: Pattern | BlockChoice,
  numberOf: ClipboardNumber | undefined,
): string {
  if (typeof choice === "function") throw noText(`operation.${field}`, "a function");
  return patternText(choice, numberOf);
}

/** Returns the text of a pattern inside of another one. */
function onePatternText(pattern: Pattern, numberOf: ClipboardNumber | undefined): string {
  if (typeof pattern === "string") return pattern;
  if ("mixed" in pattern) return grouped(patternText(pattern, numberOf), true);
  if ("noise" in pattern)
    return call(
      "noise",
      numberText(pattern.noise),
      ...pattern.of.map((each) => onePatternText(each, numberOf)),
    );
  if ("repeated" in pattern) {
    if (numberOf === undefined) throw noText("a pattern's repeated", "a clipboard");
    return clipboardText(pattern.repeated, numberOf);
  }
  return blockPatternText(pattern);
}

function clipboardText(clipboard: Clipboard, numberOf: ClipboardNumber): string {
  return call("clipboard", `${numberOf(clipboard)}`);
}

function blockPatternText({ block, properties, keep }: BlockPattern): string {
  if (block === undefined) return `*${propertiesText(properties)}`;
  return `${blockText(block)}${propertiesText(properties, keep === true ? ["*"] : [])}`;
}

function nextToText({ nextTo, least, most }: NextToMask): string {
  const counts = most === undefined ? [least] : [least ?? 1, most];
  return call("next", maskText(nextTo), ...counts.map((count) => count?.toString()));
}

function propertiesText(properties: BlockProperties = {}, first: readonly string[] = []): string {
  const texts = Object.entries(properties).map(([name, value]) => `${nameText(name)}=${nameText(value)}`);
  const all = [...first, ...texts];
  return all.length === 0 ? "" : `[${all.join()}]`;
}

function percentText(share: number): string {
  return `${numberText(share, PERCENT_SHIFT)}%`;
}

function blockText(name: string): string {
  return isBareBlock(name) ? name : quoted(name);
}

function nameText(name: string): string {
  return isBareWord(name) ? name : quoted(name);
}

/** Returns a string of JSON in which all that would not be shown is escaped. */
function quoted(name: string): string {
  return printableName(JSON.stringify(name));
}

function grouped(text: string, isInside: boolean): string {
  return isInside ? `(${text})` : text;
}

function call(word: string, ...args: readonly (string | undefined)[]): string {
  return `${word}(${args.filter((text) => text !== undefined).join()})`;
}

function words(...texts: readonly (string | number | undefined)[]): string {
  return texts.filter((text) => text !== undefined).join(" ");
}

function noText(name: string, what: string): OrthantError {
  const detail = `${name} is ${what}; it has no text, so the operation can only be used as a value`;
  return new OrthantError("ORT_ARGUMENT", detail);
}
