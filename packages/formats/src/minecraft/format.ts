import { OrthantError } from "@orthant/core";
import { type Disk, MemoryDisk } from "@orthant/disk";
import { type Finding, findingOf } from "@orthant/disk/files";
import { verifySave } from "@orthant/save";
import { fileBytes } from "../format/files.ts";
import type { Format, FormatRequest } from "../format/format.ts";
import { formatAmount, formatBytes, formatCount, formatPosition } from "../format/text.ts";
import { MinecraftConversion } from "./convert.ts";
import { findMinecraftFiles, findRegions, LEVEL_FILE, openRegionOr } from "./world-files.ts";

/** Maximum number of columns of a world that is opened in memory. */
const OPENED_COLUMNS_MAX = 4_096;

/** Worlds of Minecraft Java 1.8 to 1.21: a folder of region files, in one dimension. */
export const minecraftFormat: Format = {
  name: "minecraft",
  title: "Minecraft",
  targets: ["orthant"],

  async detect(disk, file) {
    const [evidence] = file === undefined ? await findRegions(disk) : [];
    return evidence === undefined ? undefined : { format: "minecraft", dialect: undefined, evidence };
  },

  async info({ disk }) {
    const { regions, level, levelDamage } = await findMinecraftFiles(disk);
    const losses = levelDamage === undefined ? [] : [`level.dat: ${levelDamage.detail}`];
    const columns = await countColumns(disk, regions, (line) => losses.push(line));
    let totalBytes = 0;
    for (const path of regions) totalBytes += await fileBytes(disk, path);
    const { name, seed, spawn, gameVersion, dataVersion } = level ?? {};
    return {
      facts: {
        name: name ?? null,
        gameVersion: gameVersion ?? null,
        dataVersion: dataVersion ?? null,
        seed: seed === undefined ? null : String(seed),
        spawn: spawn ?? null,
        regions: regions.length,
        columns,
        totalBytes,
      },
      rows: [
        ["name", name],
        ["version", gameVersion],
        ["seed", seed === undefined ? undefined : String(seed)],
        ["spawn", spawn && formatPosition(spawn)],
        ["regions", `${formatAmount(regions.length, "file")}, ${formatBytes(totalBytes)}`],
        ["columns", formatCount(columns)],
      ],
      losses,
    };
  },

  async verify({ disk }) {
    const { regions, levelDamage } = await findMinecraftFiles(disk);
    const findings: Finding[] = levelDamage === undefined ? [] : [findingOf(levelDamage, LEVEL_FILE)];
    for (const path of regions) {
      const region = await openRegionOr(disk, path, (error) => findings.push(findingOf(error, path)));
      if (region === undefined) continue;
      try {
        for (const slot of region.slots) await region.readColumn(slot);
        findings.push(...region.findings);
      } finally {
        await region.close();
      }
    }
    return findings;
  },

  async open(request) {
    const columns = await countColumns(request.disk, await findRegions(request.disk));
    if (columns > OPENED_COLUMNS_MAX) {
      const detail = `${columns} columns, and at most ${OPENED_COLUMNS_MAX} are opened in memory`;
      throw new OrthantError("ORT_LIMIT", `${detail}: convert the world first`);
    }
    const made = new MemoryDisk();
    await (await conversionOf(request)).run(made, () => undefined);
    return made;
  },

  async convert(request) {
    const conversion = await conversionOf(request);
    return {
      from: "minecraft",
      to: "orthant",
      unit: "chunks",
      steps: await countColumns(request.disk, await findRegions(request.disk)),
      run: (target, onStep) => conversion.run(target, onStep),
      verify: (made) => verifySave(made),
      close: async () => undefined,
    };
  },
};

async function conversionOf({ disk }: FormatRequest): Promise<MinecraftConversion> {
  return new MinecraftConversion({ disk, files: await findMinecraftFiles(disk) });
}

async function countColumns(
  disk: Disk,
  regions: readonly string[],
  onDamage: (line: string) => void = () => undefined,
): Promise<number> {
  let columns = 0;
  for (const path of regions) {
    const region = await openRegionOr(disk, path, ({ detail }) => onDamage(`${path}: ${detail}`));
    columns += region?.slots.length ?? 0;
    await region?.close();
  }
  return columns;
}
