import type { BlockCatalog } from "@orthant/core";
import { idCountOf } from "@orthant/core/chunk";
import type { Command } from "../command/command.ts";
import { factLines } from "../command/report.ts";
import { EXIT } from "../command/usage.ts";
import { describeFormat, findWorld, formatOptions, formatRequest } from "../world/found-world.ts";

/** `orthant info`. */
export const infoCommand: Command = {
  name: "info",
  summary: "Show a world's format, size and contents",
  details:
    "Reads the manifest, the inner pages of the index and the journal alone, so it is fast for worlds of any size.",
  arguments: [{ name: "<world>", description: "the folder of a world, or its file" }],
  usesGenerators: true,
  options: [
    { flags: "--count", description: "also count what is in it, which reads every record" },
    { flags: "--blocks", description: "also list the blocks" },
    ...formatOptions(),
  ],
  examples: ["orthant info my-world", "orthant info my-world --count --json"],

  async run(args, context) {
    const folder = args.at(0);
    const found = await findWorld(folder, context);
    const request = formatRequest(found, args, context);
    const {
      dialect = found.world.dialect,
      facts,
      rows,
      catalog,
      losses = [],
    } = await found.format.info({
      ...request,
      count: args.has("count"),
    });
    const world = { ...found.world, dialect };
    context.printJson({ world: folder, ...world, ...facts });
    context.printAll(factLines([["format", describeFormat(world)], ...rows]));
    if (catalog !== undefined && args.has("blocks")) context.printAll(blockLines(catalog));
    for (const loss of losses) context.note(`loss: ${loss}`);
    return losses.length === 0 ? EXIT.ok : EXIT.loss;
  },
};

function blockLines({ types }: BlockCatalog): readonly string[] {
  return types.map((type) => {
    const { id, name, colour, solid, retired, properties } = type;
    const code = colour.toString(16).padStart(6, "0");
    const count = idCountOf(type);
    const axes = properties.map((property) => `${property.name}=${property.values.join("|")}`);
    const remarks = [
      ...(axes.length > 0 ? [`${count} ids: ${axes.join(", ")}`] : []),
      ...(solid ? [] : ["passable"]),
      ...(retired ? ["retired"] : []),
    ];
    return `${String(id).padStart(5)}  #${code}  ${name}${remarks.map((remark) => ` (${remark})`).join("")}`;
  });
}
