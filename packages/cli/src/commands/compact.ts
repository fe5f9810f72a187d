import { formatAmount, formatBytes } from "@orthant/formats";
import type { Command } from "../command/command.ts";
import { EXIT } from "../command/usage.ts";
import { withEngine } from "../world/with-engine.ts";

/** `orthant compact`. */
export const compactCommand: Command = {
  name: "compact",
  summary: "Free disk space that no kept generation uses",
  details: [
    "An open world does this by itself when no kept generation uses a quarter of its packs. Kept generations stay",
    "as they are. A pack with a damaged record is left as it is and reported.",
  ].join(" "),
  arguments: [{ name: "<world>", description: "the folder of a world" }],
  usesGenerators: true,
  options: [],
  examples: ["orthant compact my-world"],

  run(args, context) {
    const folder = args.at(0);
    return withEngine(folder, {}, context, async (world) => {
      const { bytesBefore, bytesAfter, packsRewritten, packsRemoved, findings } = await world.compact();
      const left = findings.map(({ file, message }) => ({ file, message }));
      context.printJson({ world: folder, bytesBefore, bytesAfter, packsRewritten, packsRemoved, left });
      const packs = `${formatAmount(packsRewritten, "pack")} rewritten, ${packsRemoved} removed`;
      context.print(`${formatBytes(bytesBefore)} of packs are ${formatBytes(bytesAfter)} now: ${packs}`);
      for (const { file, message } of left) context.note(`${file} is left as it is: ${message}`);
      return left.length === 0 ? EXIT.ok : EXIT.failed;
    });
  },
};
