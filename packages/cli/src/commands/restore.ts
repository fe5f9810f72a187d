import type { Command } from "../command.ts";
import { copyWorld } from "../copy-world.ts";

/** `orthant restore`. */
export const restoreCommand: Command = {
  name: "restore",
  summary: "Copy a backup to a new folder, and prove the copy",
  details: "The backup stays as it is. A world that is damaged is never put in the place of one that is not.",
  arguments: [
    { name: "<backup>", description: "the folder of a backup" },
    { name: "<folder>", description: "where the world goes: empty, or not there yet" },
  ],
  options: [{ flags: "--dry-run", description: "say what would be copied, and write nothing" }],
  examples: ["orthant restore backups/monday my-world"],

  run(args, context) {
    const wish = { from: args.at(0), to: args.at(1), isDry: args.has("dryRun"), generation: undefined };
    return copyWorld(wish, { did: "restored", would: "would restore" }, context);
  },
};
