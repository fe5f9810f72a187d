import { OrthantError, systemTime } from "@orthant/core";
import type { Disk } from "@orthant/disk";
import { checkedEngineOptions } from "../options/checked-options.ts";
import { type EngineOptions, LOCK_FILE } from "../options/world-options.ts";
import { releaseSave } from "../saving/world-saver.ts";
import { openWorldEngine, openWritable } from "./open-engine.ts";

/** Options for an upgrade. */
export interface UpgradeEngineOptions extends EngineOptions {
  /** Called with the number of leaves before the first is rewritten, and with 0 for a world that is up to date. */
  readonly onStart?: (leaves: number) => void;
  /** Called after each leaf. */
  readonly onLeaf?: () => void;
}

/** What an upgrade did. */
export interface UpgradeReport {
  /** Versions of the index before and after; equal if there was nothing to do. */
  readonly versionBefore: number;
  readonly versionAfter: number;
  /** The live generation afterwards. */
  readonly generation: number;
  /** Number of leaves that were rewritten. */
  readonly leaves: number;
}

/**
 * Rewrites a closed world in the newest versions of its formats, as one commit: whenever it is cut off, the world is whole,
 * either as before or upgraded. Kept generations stay as they are. Throws `ORT_LOCKED` while another process writes to
 * the world.
 */
export async function upgradeWorldEngine(
  disk: Disk,
  given: UpgradeEngineOptions = {},
): Promise<UpgradeReport> {
  const { onStart, onLeaf, ...stored } = given;
  const options = checkedEngineOptions({ ...stored, autosave: false });
  // Saves what a journal has, so that there is nothing but a generation to rewrite.
  await (await openWorldEngine(disk, options)).close();
  const { save, writer, lock } = await openWritable(disk, options);
  try {
    if (lock.isContested || save.manifest.journalEpoch !== undefined) {
      const detail = "another process wrote to the world in between: close it there, then upgrade again";
      throw new OrthantError("ORT_LOCKED", detail, { path: LOCK_FILE });
    }
    const { indexVersion: versionBefore } = save;
    const nowMs = (options.time ?? systemTime).nowMs();
    const isOld = !writer.isNewest;
    const leaves = isOld ? save.index.totals.leaves : 0;
    onStart?.(leaves);
    const upgraded = await writer.upgrade({ nowMs, ...(onLeaf && { onLeaf }) });
    const { generation, indexVersion: versionAfter } = upgraded;
    await upgraded.close();
    return { versionBefore, versionAfter, generation, leaves };
  } finally {
    await releaseSave(save, { writer, lock });
  }
}
