import { readFile } from "node:fs/promises";
import { openWorld } from "@orthant/world";
import type { Arguments, Command } from "../command/command.ts";
import type { Context } from "../command/context.ts";
import { parseNames } from "../command/parse.ts";
import { EXIT, type ExitCode, UsageError } from "../command/usage.ts";
import { parseCorners } from "../edit/edit-line.ts";
import { EditSession } from "../edit/edit-session.ts";
import { type EditTarget, FolderTarget } from "../edit/edit-target.ts";
import { BYTES_AS_THEY_ARE } from "../world/data-bytes.ts";
import { requireNative } from "../world/found-world.ts";

const STANDARD_INPUT = "/dev/stdin";
/** How long a server may take to answer. */
const CONNECT_MS = 10_000;
const SERVER = /^(?:wss?|https?):/;
/** Environment variable for the token of a player, as an alternative to a file. */
const TOKEN_VARIABLE = "ORTHANT_TOKEN";

/** `orthant edit`. */
export const editCommand: Command = {
  name: "edit",
  summary: "Change many voxels of a world at once",
  details: [
    "An operation is written as in docs/reference/operations.md, such as replace stone 80%stone,20%gravel. It is done as a whole",
    "or, when the command is stopped or fails, not at all. Several operations stand in a file, one a line, besides lines such",
    'as "select box(0,60,0,16,72,16)", which says where the next ones are done, undo and redo, copy, cut and paste 10,64,-4,',
    "and save or load with a file for the clipboard, whose name ends with .clip or .schem. No server may have the",
    "folder open; on a server, a player needs a role that may do operations, and clipboards stay there. To undo an earlier",
    `command in a folder, see orthant restore; on a server, undo does it. The token may also stand in ${TOKEN_VARIABLE}.`,
  ].join(" "),
  arguments: [
    {
      name: "<world>",
      description: "the folder of a world, or the address of a server, such as ws://localhost:7440",
    },
    { name: "[operation]", description: 'such as "set stone" or "walls brick 2"; without it, --file' },
  ],
  usesGenerators: true,
  options: [
    {
      flags: "--in <selection>",
      description:
        "where: 0,60,0..16,72,16, the second corner exclusive, or a selection such as sphere(0,64,0,8)",
    },
    { flags: "--file <file>", description: "a file with an operation a line; - is the standard input" },
    { flags: "--dry-run", description: "say what would be changed, and change nothing" },
    {
      flags: "--map <names>",
      description:
        "a block of a clipboard, and its name in a saved file, or in the world when one is loaded; may be given several times",
      repeated: true,
    },
    { flags: "--accept-loss", description: "save a clipboard although the file cannot hold all of it" },
    { flags: "--force", description: "replace files of clipboards" },
    { flags: "--token-file <file>", description: "the token with which a player joins the server" },
    { flags: "--confirm", description: "do what the server asks about because it is so large" },
  ],
  examples: [
    'orthant edit my-world "set stone" --in 0,60,0..16,61,16',
    'orthant edit my-world "replace stone 80%stone,20%gravel" --in "sphere(0,64,0,8)" --dry-run',
    "orthant edit my-world --file street.txt --json",
    'orthant edit ws://localhost:7440 "overlay snow" --in 0,60,0..64,90,64 --token-file token.txt',
  ],

  async run(args, context) {
    const [folder, operation] = [args.at(0), args.at(1)];
    const file = args.text("file");
    if ((operation === "") === (file === undefined))
      throw new UsageError("give either an operation or --file with several");
    const lines = file === undefined ? [operation] : await linesOf(file);
    const isDry = args.has("dryRun");
    return withTarget(folder, isDry, args, context, async (target, save) => {
      const options = {
        isDry,
        acceptsLoss: args.has("acceptLoss"),
        replacesFiles: args.has("force"),
        names: parseNames(args.all("map")),
      };
      const session = new EditSession(target, options, context);
      const within = args.text("in");
      if (within !== undefined) session.select(parseCorners(within, target.dimensions));
      for (const [index, line] of lines.entries())
        await session.run(line, file === undefined ? undefined : index + 1);
      await save();
      const { results, losses } = session;
      context.printJson({ world: folder, made: !isDry, operations: results, losses });
      return losses.length === 0 ? EXIT.ok : EXIT.loss;
    });
  },
};

type UseTarget = (target: EditTarget, save: () => Promise<unknown>) => Promise<ExitCode>;

/** Opens a folder, or joins a server. */
async function withTarget(
  world: string,
  isDry: boolean,
  args: Arguments,
  context: Context,
  use: UseTarget,
): Promise<ExitCode> {
  if (SERVER.test(world)) return withServer(world, isDry, args, context, use);
  const stray = ["tokenFile", "confirm"].find(
    (option) => args.has(option) || args.text(option) !== undefined,
  );
  if (stray !== undefined)
    throw new UsageError(`--token-file and --confirm are for servers, "${world}" is a folder`);
  await requireNative(await context.openDisk(world), world);
  const opened = await openWorld(await context.openDisk(world), {
    readOnly: isDry,
    autosave: false,
    time: context.time,
    generators: context.generators,
    dataCodec: BYTES_AS_THEY_ARE,
  });
  try {
    return await use(new FolderTarget(opened, isDry), async () => (isDry ? undefined : opened.save()));
  } finally {
    await opened.close();
  }
}

async function withServer(
  url: string,
  isDry: boolean,
  args: Arguments,
  context: Context,
  use: UseTarget,
): Promise<ExitCode> {
  const token = await readToken(args.text("tokenFile"), context);
  context.takeSignals();
  const { connect } = await import("@orthant/client/node");
  const { ServerTarget } = await import("../edit/server-target.ts");
  const client = await connect(url, {
    name: "orthant edit",
    timeoutMs: CONNECT_MS,
    ...(token !== undefined && { token }),
  });
  try {
    const target = new ServerTarget(client, { isDry, isConfirmed: args.has("confirm") });
    return await use(target, async () => undefined);
  } finally {
    await client.close();
  }
}

async function readToken(file: string | undefined, context: Context): Promise<string | undefined> {
  if (file === undefined) return context.variables[TOKEN_VARIABLE];
  const text = await readFile(file, "utf8").catch(() => undefined);
  if (text === undefined)
    throw new UsageError(`there is no file "${file}" with a token; orthant token prints one`);
  return text.trim();
}

async function linesOf(file: string): Promise<readonly string[]> {
  return (await readFile(file === "-" ? STANDARD_INPUT : file, "utf8")).split("\n");
}
