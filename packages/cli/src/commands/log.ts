import type { Disk } from "@orthant/disk";
import { formatAmount, formatTime } from "@orthant/formats";
import { listGenerations, openSave } from "@orthant/save";
import type { Command } from "../command/command.ts";
import { parseInteger } from "../command/parse.ts";
import { tableLines } from "../command/report.ts";
import { EXIT } from "../command/usage.ts";
import { requireNative } from "../world/found-world.ts";
import { retryWhileWritten } from "../world/live-save.ts";

const LIMIT_MAX = 1_000_000;

/** `orthant log`. */
export const logCommand: Command = {
  name: "log",
  summary: "List the saved states of a world that are kept, newest first",
  details: [
    "A world keeps its newest states, one a minute for ten minutes, one an hour for a day, one a day for a month,",
    "and those that have a name. Each can be listed, compared, copied and restored from.",
  ].join(" "),
  arguments: [{ name: "<world>", description: "the folder of a world" }],
  options: [{ flags: "--limit <count>", description: "how many at most", default: "100" }],
  examples: ["orthant log my-world", "orthant log my-world --limit 5 --json"],

  async run(args, context) {
    const folder = args.at(0);
    const limit = args.parsed("limit", parseInteger(1, LIMIT_MAX)) ?? LIMIT_MAX;
    const disk = await context.openDisk(folder);
    await requireNative(disk, folder);
    const kept = await retryWhileWritten(disk, () => generationsOf(disk));
    const generations = kept.slice(0, limit);
    context.printJson({ world: folder, kept: kept.length, generations });
    context.printAll(tableLines(generations.map(rowOf)));
    const left = kept.length - generations.length;
    if (left > 0) context.note(`there are ${left} more; --limit shows them`);
    if (kept.length === 0) context.note(`${formatAmount(0, "generation")} can be opened`);
    return EXIT.ok;
  },
};

/** A kept generation. */
interface Kept {
  readonly generation: number;
  readonly savedMs: number;
  readonly name: string | null;
}

/** Newest first. Uses the save alone, so that it also works when the world's generator is not available. */
async function generationsOf(disk: Disk): Promise<readonly Kept[]> {
  const save = await openSave(disk);
  await save.close();
  const { namedGenerations } = save.global.description;
  const names = new Map(namedGenerations.map(({ generation, name }) => [generation, name]));
  return (await listGenerations(disk)).map(({ generation, atMs }) => {
    return { generation, savedMs: atMs, name: names.get(generation) ?? null };
  });
}

function rowOf({ generation, savedMs, name }: Kept): readonly string[] {
  return [String(generation), formatTime(savedMs), name ?? ""];
}
