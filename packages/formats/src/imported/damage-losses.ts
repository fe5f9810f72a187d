import type { Finding } from "@orthant/disk/files";
import type { ConversionLoss } from "../format/losses.ts";

/** Maximum number of lines about damage in the description of a world. */
const LINES_MAX = 5;

/** Returns the damage among findings for the description of a world: the first of it, and how much more there is. */
export function damageLines(findings: readonly Finding[]): readonly string[] {
  const lines = allLines(findings);
  const more = lines.length - LINES_MAX;
  return more <= 0 ? lines : [...lines.slice(0, LINES_MAX), `${more} more; verify lists all`];
}

function allLines(findings: readonly Finding[]): readonly string[] {
  return findings
    .filter(({ severity }) => severity === "damage")
    .map(({ file, message }) => `${file}: ${message}`);
}

/** Returns damage as a loss; none if there is no damage. */
export function damageLosses(findings: readonly Finding[]): readonly ConversionLoss[] {
  const lines = allLines(findings);
  const [first] = lines;
  if (first === undefined) return [];
  return [
    { what: "damaged parts", count: lines.length, remark: `verify lists all; the first is in ${first}` },
  ];
}
