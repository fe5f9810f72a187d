import { formatAmount } from "@orthant/formats";
import { upgradeWorldEngine } from "@orthant/world/engine";
import type { Command } from "../command/command.ts";
import { noProgress } from "../command/progress.ts";
import { EXIT } from "../command/usage.ts";
import { requireNative } from "../world/found-world.ts";
import { KEEP_EVERY_GENERATION } from "../world/live-save.ts";

/** `orthant upgrade`. */
export const upgradeCommand: Command = {
  name: "upgrade",
  summary: "Bring an old world to the newest file formats",
  details: [
    "Rewrites the world as one commit: if it is interrupted, the world is whole and as it was. Older programs can't read",
    "the result. Kept generations stay as they are, so that the world takes up to twice the space until they are gone.",
  ].join(" "),
  arguments: [{ name: "<world>", description: "the folder of a world" }],
  usesGenerators: true,
  options: [],
  examples: ["orthant upgrade my-world", "orthant upgrade my-world --json"],

  async run(args, context) {
    const folder = args.at(0);
    const disk = await context.openDisk(folder);
    await requireNative(disk, folder);
    let progress = noProgress;
    try {
      const report = await upgradeWorldEngine(disk, {
        time: context.time,
        generators: context.generators,
        allowUnknownGenerator: true,
        retention: KEEP_EVERY_GENERATION,
        onStart: (leaves) => {
          progress = context.progress("upgrading", "leaves", leaves);
        },
        onLeaf: () => progress.advance(1),
      });
      const { versionBefore, versionAfter, generation, leaves } = report;
      const upgraded = versionBefore !== versionAfter;
      context.printJson({ world: folder, upgraded, versionBefore, versionAfter, generation, leaves });
      context.print(
        upgraded
          ? `upgraded ${folder} from version ${versionBefore} to ${versionAfter}: ${formatAmount(leaves, "leaf", "leaves")} rewritten, generation ${generation}`
          : `${folder} has version ${versionAfter} already`,
      );
      return EXIT.ok;
    } finally {
      progress.end();
    }
  },
};
