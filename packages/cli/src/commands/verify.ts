import type { Disk } from "@orthant/disk";
import { type Finding, isWhole } from "@orthant/disk/files";
import { verifyFlatSave, verifyMarsMiner } from "@orthant/formats";
import { surveySave, verifySave } from "@orthant/save";
import type { Arguments, Command } from "../command.ts";
import type { Context } from "../context.ts";
import { describeFormat, type FoundWorld, fileBytes, findWorld, unreadable } from "../found-world.ts";
import { liveGeneration, whileLive } from "../live-save.ts";
import { MARSMINER_OPTIONS, marsMinerOptions, refuseMarsMinerOptions } from "../marsminer/options.ts";
import { verifyPixels } from "../pixel/verify.ts";
import { noProgress } from "../progress.ts";
import { findingJson, printFinding } from "../report/finding.ts";
import { formatAmount } from "../report.ts";
import { EXIT } from "../usage.ts";

/** `orthant verify`. */
export const verifyCommand: Command = {
  name: "verify",
  summary: "Check every checksum and every rule of a world",
  details: "Reads all generations and all packs and changes nothing. Notices are harmless; damage is not.",
  arguments: [{ name: "<world>", description: "the folder of a world, or the file of a pixel world" }],
  options: [
    {
      flags: "--checksums",
      description: "only check that no byte changed, which is much faster; not what chunks hold",
    },
    ...MARSMINER_OPTIONS,
  ],
  examples: ["orthant verify my-world", "orthant verify my-world --checksums --json"],

  async run(args, context) {
    const folder = args.at(0);
    const found = await findWorld(folder, context);
    const { format } = found;
    refuseMarsMinerOptions(args, folder, format);
    const findings = await findingsOf(found, args, context);
    const damage = findings.filter(({ severity }) => severity === "damage");
    const whole = isWhole(findings);
    context.printJson({ world: folder, ...format, whole, findings: findings.map(findingJson) });
    for (const finding of findings) printFinding(finding, context);
    const notices = findings.length - damage.length;
    const faults = whole ? "" : `, ${formatAmount(damage.length, "fault")}`;
    const rest = `: ${describeFormat(format)}${faults}, ${formatAmount(notices, "notice")}`;
    context.printMarked(whole ? "green" : "red", whole ? "whole" : "damaged", rest);
    return whole ? EXIT.ok : EXIT.failed;
  },
};

async function findingsOf(
  { disk, format }: FoundWorld,
  args: Arguments,
  context: Context,
): Promise<readonly Finding[]> {
  if (format.format === "pixelworld") return verifyPixels(disk, format, context);
  if (format.format === "tilesave" || format.format === "v4dw") throw unreadable(args.at(0), format);
  if (format.format === "polychora-flat") return verifyFlatSave(disk);
  if (format.format === "marsminer") return verifyMarsMiner(disk, marsMinerOptions(args));
  return verifySteadily(args.at(0), args.has("checksums"), context);
}

async function verifySteadily(
  folder: string,
  checksumsOnly: boolean,
  context: Context,
): Promise<readonly Finding[]> {
  let progress = noProgress;
  const disk = await context.openDisk(folder, (bytes) => progress.advance(bytes));
  const verifyOnce = async (): Promise<readonly Finding[]> => {
    progress = context.progress("verifying", "bytes", await bytesToRead(disk));
    try {
      const live = await liveGeneration(disk);
      const findings = await verifySave(disk, { checksumsOnly });
      if (isWhole(findings)) return findings;
      const { files } = await surveySave(disk);
      return findings.filter((finding) => !isRetired(finding, live, files));
    } finally {
      progress.end();
    }
  };
  return whileLive(disk, verifyOnce, isWhole);
}

/** Whether a finding only means that a writer has retired an older generation since the files were listed. */
function isRetired(
  { code, generation, file }: Finding,
  live: number | undefined,
  files: readonly string[],
): boolean {
  return code === "ORT_NOT_FOUND" && generation !== undefined && generation !== live && !files.includes(file);
}

/** Every file is read once. */
async function bytesToRead(disk: Disk): Promise<number> {
  const { files } = await surveySave(disk);
  let bytes = 0;
  for (const file of files) bytes += await fileBytes(disk, file);
  return bytes;
}
