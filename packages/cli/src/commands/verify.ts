import type { Dimensions } from "@orthant/core";
import { type Finding, isWhole } from "@orthant/disk/files";
import { formatAmount, formatBox } from "@orthant/formats";
import type { Command } from "../command/command.ts";
import type { Context } from "../command/context.ts";
import { findingJson } from "../command/report.ts";
import { EXIT } from "../command/usage.ts";
import {
  describeFormat,
  findWorld,
  formatOptions,
  formatRequest,
  unsupported,
} from "../world/found-world.ts";
import { dimensionsOfDamaged } from "../world/live-save.ts";

/** `orthant verify`. */
export const verifyCommand: Command = {
  name: "verify",
  summary: "Check every checksum and every rule of a world",
  details: "Reads all generations and all packs and changes nothing. Notices are harmless; damage is not.",
  arguments: [{ name: "<world>", description: "the folder of a world, or its file" }],
  options: [
    {
      flags: "--checksums",
      description: "only check that no byte changed, which is much faster; not what chunks hold",
    },
    ...formatOptions(),
  ],
  examples: ["orthant verify my-world", "orthant verify my-world --checksums --json"],

  async run(args, context) {
    const folder = args.at(0);
    const found = await findWorld(folder, context);
    const request = formatRequest(found, args, context);
    const { format, world } = found;
    if (format.verify === undefined) throw unsupported(found);
    const findings = await format.verify({ ...request, checksumsOnly: args.has("checksums") });
    const damage = findings.filter(({ severity }) => severity === "damage");
    const whole = isWhole(findings);
    const dimensions = findings.length === 0 ? undefined : await dimensionsOfDamaged(found.disk);
    const listed = findings.map((finding) => findingJson(finding, dimensions));
    context.printJson({ world: folder, ...world, whole, findings: listed });
    for (const finding of findings) printFinding(finding, dimensions, context);
    const notices = findings.length - damage.length;
    const faults = whole ? "" : `, ${formatAmount(damage.length, "fault")}`;
    const rest = `: ${describeFormat(world)}${faults}, ${formatAmount(notices, "notice")}`;
    context.printMarked(whole ? "green" : "red", whole ? "no damage" : "damaged", rest);
    return whole ? EXIT.ok : EXIT.failed;
  },
};

/** Prints a finding in a line: where, what, and what it affects. */
function printFinding(finding: Finding, dimensions: Dimensions | undefined, context: Context): void {
  const { severity, file, offset, code, message, generation, chunks } = finding;
  const position = offset === undefined ? file : `${file}+${offset}`;
  const hurt = [
    ...(generation === undefined ? [] : [`generation ${generation}`]),
    ...(chunks === undefined ? [] : [`chunks ${formatBox(chunks, dimensions)}`]),
  ];
  const why = code === undefined ? "" : ` [${code}]`;
  const rest = `: ${position}: ${message}${why}${hurt.length === 0 ? "" : ` (${hurt.join(", ")})`}`;
  context.printMarked(severity === "damage" ? "red" : "dim", severity, rest);
}
