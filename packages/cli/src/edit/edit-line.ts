import type { Dimensions, Position } from "@orthant/core";
import {
  type AxisName,
  type Operation,
  type Plane,
  parseOperation,
  parseSelection,
  type Selection,
  type TurnStep,
} from "@orthant/core/operations";
import { UsageError } from "../command/usage.ts";

/** What a line of a session says. */
export type EditLine =
  | { readonly kind: "operation"; readonly operation: Operation }
  | { readonly kind: "select"; readonly selection: Selection }
  | { readonly kind: "copy" | "cut" | "undo" | "redo" }
  | { readonly kind: "paste"; readonly at: Position<Dimensions>; readonly turns: readonly TurnStep[] }
  | { readonly kind: "save" | "load"; readonly file: string };

/** A corner to a corner, as other commands take boxes. */
const CORNERS = /^([-+\d,\s]+)\.\.([-+\d,\s]+)$/;
const PASTE_ADVICE = "write it as paste 10,64,-4 rotate xz 1 mirror x; the turns may be left out";

/** Reads a line of a session that is not empty. Throws an error that says what is wrong. */
export function parseEditLine(text: string, dimensions: Dimensions): EditLine {
  const [, word = "", rest = ""] = /^(\S+)\s*(.*)$/s.exec(text) ?? [];
  switch (word) {
    case "select":
      return { kind: word, selection: parseCorners(rest, dimensions) };
    case "copy":
    case "cut":
    case "undo":
    case "redo":
      if (rest !== "") throw new UsageError(`"${word}" stands alone in its line`);
      return { kind: word };
    case "save":
    case "load":
      if (rest === "") throw new UsageError(`"${word}" needs the name of a file, as in ${word} house.clip`);
      return { kind: word, file: rest };
    case "paste":
      return pasteOf(rest, dimensions);
    default:
      return { kind: "operation", operation: parseOperation(text, { dimensions }) };
  }
}

/** Reads a box as other commands take it, or a selection. */
export function parseCorners(text: string, dimensions: Dimensions): Selection {
  const [, from, to] = CORNERS.exec(text.trim()) ?? [];
  return parseSelection(from === undefined ? text : `box(${from},${to})`, { dimensions });
}

function pasteOf(text: string, dimensions: Dimensions): EditLine {
  const [place = "", ...words] = text.split(/\s+/);
  const at = place.split(",").map((coordinate) => (/^[-+]?\d+$/.test(coordinate) ? Number(coordinate) : NaN));
  if (at.length !== dimensions || !at.every(Number.isSafeInteger))
    throw new UsageError(`"${place}" is not a position with ${dimensions} coordinates; ${PASTE_ADVICE}`);
  const turns: TurnStep[] = [];
  for (let next = words.shift(); next !== undefined; next = words.shift()) {
    const operand = words.shift();
    if (operand === undefined || (next !== "rotate" && next !== "mirror"))
      throw new UsageError(`"${next}" is not a turn; ${PASTE_ADVICE}`);
    // A clipboard checks planes and axes itself.
    if (next === "mirror") turns.push({ mirror: operand as AxisName });
    else {
      const count = /^\d+$/.test(words[0] ?? "") ? Number(words.shift()) : 1;
      turns.push({ rotate: operand as Plane, turns: count });
    }
  }
  return { kind: "paste", at: at as unknown as Position<Dimensions>, turns };
}
