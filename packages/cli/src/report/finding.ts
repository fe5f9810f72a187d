import type { Finding } from "@orthant/formats";
import type { Style } from "../style.ts";
import { formatBox } from "./format.ts";

/** A finding in a line: where, what, and what it hurts. */
export function findingLine(finding: Finding, style: Style): string {
  const { severity, file, offset, code, message, generation, cell } = finding;
  const place = offset === undefined ? file : `${file}+${offset}`;
  const hurt = [
    ...(generation === undefined ? [] : [`generation ${generation}`]),
    ...(cell === undefined ? [] : [`chunks ${formatBox(cell)}`]),
  ];
  const word = style(severity === "damage" ? "red" : "dim", severity);
  const why = code === undefined ? "" : ` [${code}]`;
  return `${word}: ${place}: ${message}${why}${hurt.length === 0 ? "" : ` (${hurt.join(", ")})`}`;
}

/** A finding in JSON; what is not known is `null`. */
export function findingJson(finding: Finding): object {
  const { severity, file, offset, code, message, generation, cell } = finding;
  return {
    severity,
    file,
    offset: offset ?? null,
    code: code ?? null,
    message,
    generation: generation ?? null,
    chunks: cell ?? null,
  };
}
