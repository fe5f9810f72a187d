import type { Command } from "../command/command.ts";
import { parseInteger } from "../command/parse.ts";
import { EXIT, UsageError } from "../command/usage.ts";
import { KEEP_EVERY_GENERATION } from "../world/live-save.ts";
import { withEngine } from "../world/with-engine.ts";

/** `orthant tag`. */
export const tagCommand: Command = {
  name: "tag",
  summary: "Give a saved state of a world a name, under which it is kept",
  details:
    "Without --generation, saves the world and names that state. A name that another state has moves to this one.",
  arguments: [
    { name: "<world>", description: "the folder of a world" },
    { name: "<name>", description: "1 to 64 characters, not only digits" },
  ],
  usesGenerators: true,
  options: [
    { flags: "--generation <number>", description: "name this older generation (see orthant log)" },
    { flags: "--remove", description: "remove the name instead" },
  ],
  examples: [
    "orthant tag my-world before-the-flood",
    "orthant tag my-world opening-day --generation 41",
    "orthant tag my-world opening-day --remove",
  ],

  async run(args, context) {
    const [folder, name] = [args.at(0), args.at(1)];
    const generation = args.parsed("generation", parseInteger(0, Number.MAX_SAFE_INTEGER));
    const isRemoved = args.has("remove");
    if (isRemoved && generation !== undefined) {
      throw new UsageError("--remove takes the name away, whichever generation has it");
    }
    const options = { retention: KEEP_EVERY_GENERATION };
    const named = await withEngine(folder, options, context, async ({ history }) => {
      if (!isRemoved) return history.tag(name, generation);
      await history.untag(name);
      return undefined;
    });
    context.printJson({ world: folder, name, generation: named ?? null });
    context.print(
      named === undefined
        ? `no generation is called "${name}" any more`
        : `generation ${named} is kept as "${name}"`,
    );
    return EXIT.ok;
  },
};
