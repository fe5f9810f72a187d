import type { Finding } from "@orthant/disk/files";
import type { Context } from "../context.ts";
import { formatBox } from "../report.ts";

/** Prints a finding in a line: where, what, and what it affects. */
export function printFinding(finding: Finding, context: Context): void {
  const { severity, file, offset, code, message, generation, cell } = finding;
  const position = offset === undefined ? file : `${file}+${offset}`;
  const hurt = [
    ...(generation === undefined ? [] : [`generation ${generation}`]),
    ...(cell === undefined ? [] : [`chunks ${formatBox(cell)}`]),
  ];
  const why = code === undefined ? "" : ` [${code}]`;
  const rest = `: ${position}: ${message}${why}${hurt.length === 0 ? "" : ` (${hurt.join(", ")})`}`;
  context.printMarked(severity === "damage" ? "red" : "dim", severity, rest);
}

/** Converts a finding to JSON; unknown values are `null`. */
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
