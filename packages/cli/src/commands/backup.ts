import type { Command } from "../command.ts";
import { copyWorld } from "../copy-world.ts";
import { integerBetween } from "../parse/values.ts";

/** `orthant backup`. */
export const backupCommand: Command = {
  name: "backup",
  summary: "Copy a world as it is on the disk, also while it is in use",
  details: [
    "Copies the last generation byte for byte into a folder of its own, and what a journal has since then;",
    "reads the copy again and proves it.",
    "Other programs may go on saving the world meanwhile. A backup is a world like any other.",
  ].join(" "),
  arguments: [
    { name: "<world>", description: "the folder of a world" },
    { name: "<folder>", description: "where the copy goes: empty, or not there yet" },
  ],
  options: [
    { flags: "--generation <number>", description: "one that is still there, and nothing since" },
    { flags: "--dry-run", description: "say what would be copied, and write nothing" },
  ],
  examples: ["orthant backup my-world backups/monday", "orthant backup my-world old --generation 41"],

  run(args, context) {
    const generation = args.parsed("generation", integerBetween(0, Number.MAX_SAFE_INTEGER));
    const wish = { from: args.at(0), to: args.at(1), isDry: args.has("dryRun"), generation };
    return copyWorld(wish, { did: "backed up", would: "would back up" }, context);
  },
};
