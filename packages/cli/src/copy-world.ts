import { copyGeneration } from "@orthant/save";
import type { Context } from "./context.ts";
import { EXIT, type ExitCode } from "./exit-codes.ts";
import { requireKept, requireNative } from "./found-world.ts";
import { openAskedSave } from "./live-save.ts";
import { requireNewFolder, requireOutside } from "./new-folder.ts";
import type { Progress } from "./progress.ts";
import { formatAmount, formatBytes } from "./report/format.ts";

/** A copy request. */
export interface CopyWish {
  readonly from: string;
  readonly to: string;
  readonly isDry: boolean;
  /** `undefined` is the last saved one. */
  readonly generation: number | undefined;
}

/** Copies one generation of a world into a new folder, completely or not at all. */
export async function copyWorld(
  { from, to, isDry, generation }: CopyWish,
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
    const opened = await openAskedSave(disk, generation);
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
  let progress: Progress | undefined;
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
      `${words.did} generation ${copied.generation}${since} of ${from} to ${to}: ${size}, proven`,
    );
    return EXIT.ok;
  } finally {
    progress?.end();
  }
}
