import { OrthantError } from "@orthant/core";
import { type Disk, GatedDisk } from "@orthant/disk";
import { type Finding, isWhole } from "@orthant/disk/files";
import {
  convertToV3,
  describeSaveRepair,
  detectNativeSave,
  type ExportRequest,
  FOREIGN_FORMATS,
  type Format,
  type FormatRequest,
  fileBytes,
  type OpenConversion,
} from "@orthant/formats";
import { applyRepair, openSave, planRepair, type Save, surveySave, verifySave } from "@orthant/save";
import { planJournalRepair } from "@orthant/world/engine";
import { journalLoss, liveGeneration, openAskedSave, retryWhileWritten } from "./live-save.ts";
import { nativeInfo } from "./native-info.ts";

/** Converters from a native save, by the name of the target. */
const EXPORTERS: ReadonlyMap<string, (save: Save, request: ExportRequest) => OpenConversion> = new Map([
  ["v3", exportToV3],
  ...FOREIGN_FORMATS.flatMap(({ exporters = {} }) => Object.entries(exporters)),
]);

/** Orthant's own saves, with their journals. */
export const nativeFormat: Format = {
  name: "orthant",
  title: "Orthant",
  hasGenerations: true,
  targets: ["flat", ...[...EXPORTERS.keys()].filter((name) => name !== "flat")],
  detect: detectNativeSave,
  info: nativeInfo,
  verify: verifyNative,

  async planRepair({ disk, chunkShape, environment: { generators } }) {
    const known = generators && { generators };
    const plan = await planRepair(disk, { ...known, ...(chunkShape && { chunkShape }) });
    const journal = await planJournalRepair(disk, plan, known);
    return {
      ...describeSaveRepair(plan, journal),
      async apply(target) {
        await applyRepair(disk, plan, target);
        await journal.applyTo(target);
        await (await openSave(target)).close();
      },
    };
  },

  /** Adds the journal changes that cannot be replayed to the losses. */
  async convert({ disk, generation, values, standInBlock = 1, environment }, to) {
    const exporter = EXPORTERS.get(to);
    if (exporter === undefined) throw new OrthantError("ORT_ARGUMENT", `no format is called ${to}`);
    const opened = await openAskedSave(disk, generation, environment.generators);
    const conversion = exporter(opened.save, { values, standInBlock });
    const remark = journalLoss(opened);
    return {
      ...conversion,
      generation: opened.generation,
      async run(target, onStep) {
        const outcome = await conversion.run(target, onStep);
        if (remark === undefined) return outcome;
        return { ...outcome, losses: [{ what: "journal", count: 1, remark }, ...outcome.losses] };
      },
    };
  },
};

/** For programs that implement only the specification of version 3. */
function exportToV3(save: Save): OpenConversion {
  return {
    from: "orthant",
    to: "v3",
    unit: "leaves",
    steps: save.index.totals.leaves,
    run: (made, onLeaf) => convertToV3(save, made, { onLeaf }),
    verify: (made) => verifySave(made),
    close: () => save.close(),
  };
}

/** Verifies a world, even beside a writer. */
async function verifyNative({
  disk,
  checksumsOnly = false,
  environment,
}: FormatRequest): Promise<readonly Finding[]> {
  const verifyOnce = async (): Promise<readonly Finding[]> => {
    const progress = environment.progress("verifying", "bytes", await bytesToRead(disk));
    const counted = new GatedDisk(disk, async ({ bytes }, happen) => {
      const result = await happen();
      progress.advance(bytes);
      return result;
    });
    try {
      const live = await liveGeneration(disk);
      const findings = await verifySave(counted, { checksumsOnly });
      if (isWhole(findings)) return findings;
      const { files } = await surveySave(disk);
      return findings.filter((finding) => !isRetired(finding, live, files));
    } finally {
      progress.end();
    }
  };
  return retryWhileWritten(disk, verifyOnce, isWhole);
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
