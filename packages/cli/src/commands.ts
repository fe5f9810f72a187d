import type { Command } from "./command/command.ts";
import { backupCommand } from "./commands/backup.ts";
import { benchCommand } from "./commands/bench.ts";
import { clusterCommand } from "./commands/cluster.ts";
import { compactCommand } from "./commands/compact.ts";
import { completionCommand } from "./commands/completion.ts";
import { convertCommand } from "./commands/convert.ts";
import { createCommand } from "./commands/create.ts";
import { diffCommand } from "./commands/diff.ts";
import { editCommand } from "./commands/edit.ts";
import { exportCommand } from "./commands/export.ts";
import { getCommand } from "./commands/get.ts";
import { infoCommand } from "./commands/info.ts";
import { logCommand } from "./commands/log.ts";
import { lsCommand } from "./commands/ls.ts";
import { mapCommand } from "./commands/map.ts";
import { pasteCommand } from "./commands/paste.ts";
import { repairCommand } from "./commands/repair.ts";
import { replayCommand } from "./commands/replay.ts";
import { restoreCommand } from "./commands/restore.ts";
import { serveCommand } from "./commands/serve.ts";
import { tagCommand } from "./commands/tag.ts";
import { tokenCommand } from "./commands/token.ts";
import { upgradeCommand } from "./commands/upgrade.ts";
import { verifyCommand } from "./commands/verify.ts";

const WORLD_COMMANDS: readonly Command[] = [
  createCommand,
  infoCommand,
  lsCommand,
  getCommand,
  mapCommand,
  verifyCommand,
  repairCommand,
  diffCommand,
  logCommand,
  tagCommand,
  convertCommand,
  editCommand,
  pasteCommand,
  exportCommand,
  backupCommand,
  restoreCommand,
  compactCommand,
  upgradeCommand,
  serveCommand,
  replayCommand,
  clusterCommand,
  tokenCommand,
  benchCommand,
];

/** Every command, in the order in which help lists them. */
export const COMMANDS: readonly Command[] = [...WORLD_COMMANDS, completionCommand(WORLD_COMMANDS)];
