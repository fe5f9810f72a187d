import { type FormatProgress, formatAmount, formatBytes } from "@orthant/formats";
import { copyGeneration } from "@orthant/save";
import type { Command } from "../command/command.ts";
import type { Context } from "../command/context.ts";
import { requireNewFolder, requireOutside } from "../command/files.ts";
import { parseInteger } from "../command/parse.ts";
import { EXIT, type ExitCode } from "../command/usage.ts";
import { requireNative } from "../world/found-world.ts";
import { openAskedSave, requireKept } from "../world/live-save.ts";

/** `orthant backup`. */
export const backupCommand: Command = {
  name: "backup",
  summary: "Copy a world as it is on the disk, also while it is in use",
  details: [
    "Copies the last generation, byte for byte, and the journal of the changes since then into a new folder.",
    "Then reads the copy and verifies it. Other programs may save the world meanwhile.",
    "A backup is a world like any other.",
  ].join(" "),
  arguments: [
    { name: "<world>", description: "the folder of a world" },
    { name: "<folder>", description: "where the copy goes: empty, or not there yet" },
  ],
  options: [
    {
      flags: "--generation <number>",
      description: "copy this older generation (see orthant log), without the journal",
    },
    { flags: "--dry-run", description: "say what would be copied, and write nothing" },
  ],
  examples: ["orthant backup my-world backups/monday", "orthant backup my-world old --generation 41"],

  run(args, context) {
    const generation = args.parsed("generation", parseInteger(0, Number.MAX_SAFE_INTEGER));
    const request = { from: args.at(0), to: args.at(1), isDry: args.has("dryRun"), generation };
    return copyWorld(request, { did: "backed up", would: "would back up" }, context);
  },
};

/** A copy request. */
interface CopyRequest {
  readonly from: string;
  readonly to: string;
  readonly isDry: boolean;
  /** `undefined` is the last saved one. */
  readonly generation: number | undefined;
}

/** Copies one generation of a world into a new folder, completely or not at all. */
export async function copyWorld(
  { from, to, isDry, generation }: CopyRequest,
  words: { readonly did: string; readonly would: string },
  context: Context,
): Promise<ExitCode> {
  const disk = await context.openDisk(from);
  await requireNative(disk, from);
  if (generation !== undefined) await requireKept(disk, generation);
  requireOutside(to, from);
  const wanted = generation === undefined ? {} : { generation };
  if (isDry) {
    await requireNewFolder(to);
    const opened = await openAskedSave(disk, generation, context.generators);
    await opened.save.close();
    context.printJson({
      world: from,
      to,
      made: false,
      generation: opened.generation,
      packs: null,
      changes: null,
      bytes: null,
    });
    context.print(`${words.would} generation ${opened.generation} of ${from} to ${to}`);
    return EXIT.ok;
  }
  let progress: FormatProgress | undefined;
  const onTotal = (bytes: number): void => {
    // The copy is written, and then read again.
    progress = context.progress("copying", "bytes", bytes * 2);
  };
  try {
    const copied = await context.makeFolder(
      to,
      (target) => copyGeneration(disk, target, { ...wanted, onTotal }),
      (bytes) => progress?.advance(bytes),
    );
    progress?.end();
    context.printJson({ world: from, to, made: true, ...copied });
    const size = `${formatBytes(copied.bytes)} in ${formatAmount(copied.packs, "pack")}`;
    const since = copied.changes === 0 ? "" : ` and ${formatAmount(copied.changes, "change")} since`;
    context.print(
      `${words.did} generation ${copied.generation}${since} of ${from} to ${to}: ${size}, verified`,
    );
    return EXIT.ok;
  } finally {
    progress?.end();
  }
}
