import { readFile } from "node:fs/promises";
import { type Dimensions, OrthantError, type VoxelBox } from "@orthant/core";
import { parseOperation, parseSelection, type Selection } from "@orthant/core/operations";
import { formatAmount } from "@orthant/formats";
import { type AppliedOperation, openWorld, type World } from "@orthant/world";
import type { Command } from "../command/command.ts";
import type { Context } from "../command/context.ts";
import { EXIT, UsageError } from "../command/usage.ts";
import { BYTES_AS_THEY_ARE } from "../world/data-bytes.ts";
import { requireNative } from "../world/found-world.ts";

/** A corner to a corner, as other commands take boxes. */
const CORNERS = /^([-+\d,\s]+)\.\.([-+\d,\s]+)$/;
const STANDARD_INPUT = "/dev/stdin";

/** `orthant edit`. */
export const editCommand: Command = {
  name: "edit",
  summary: "Change many voxels of a world at once",
  details: [
    "An operation is written as in docs/reference/operations.md, such as replace stone 80%stone,20%gravel. It is done as a whole",
    "or, when the command is stopped or fails, not at all. Several operations stand in a file, one a line, besides lines such",
    'as "select box(0,60,0,16,72,16)", which says where the next ones are done, and "undo", which takes the last one back. No',
    "server may have the world open. To undo an earlier command, see orthant restore.",
  ].join(" "),
  arguments: [
    { name: "<world>", description: "the folder of a world" },
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
  ],
  examples: [
    'orthant edit my-world "set stone" --in 0,60,0..16,61,16',
    'orthant edit my-world "replace stone 80%stone,20%gravel" --in "sphere(0,64,0,8)" --dry-run',
    "orthant edit my-world --file street.txt --json",
  ],

  async run(args, context) {
    const [folder, operation] = [args.at(0), args.at(1)];
    const file = args.text("file");
    if ((operation === "") === (file === undefined))
      throw new UsageError("give either an operation or --file with several");
    const lines = file === undefined ? [operation] : await linesOf(file);
    await requireNative(await context.openDisk(folder), folder);
    const isDry = args.has("dryRun");
    const world = await openWorld(await context.openDisk(folder), {
      readOnly: isDry,
      autosave: false,
      time: context.time,
      generators: context.generators,
      dataCodec: BYTES_AS_THEY_ARE,
    });
    try {
      const session = new EditSession(world, isDry, context);
      const within = args.text("in");
      if (within !== undefined) session.select(selectionOf(within, world.dimensions));
      for (const [index, line] of lines.entries())
        await session.run(line, file === undefined ? undefined : index + 1);
      if (!isDry) await world.save();
      context.printJson({ world: folder, made: !isDry, operations: session.results });
      return EXIT.ok;
    } finally {
      await world.close();
    }
  },
};

/** What one operation did, for programs. */
interface EditResultRow {
  readonly operation: string;
  readonly voxels: number;
  readonly box: Pick<VoxelBox, "min" | "max"> | null;
}

/** Operations on one world, one after the other. */
class EditSession {
  readonly results: EditResultRow[] = [];
  readonly #world: World;
  readonly #isDry: boolean;
  readonly #context: Context;
  readonly #done: AppliedOperation[] = [];
  #selection: Selection | undefined;

  constructor(world: World, isDry: boolean, context: Context) {
    this.#world = world;
    this.#isDry = isDry;
    this.#context = context;
  }

  select(selection: Selection): void {
    this.#selection = selection;
  }

  /** Does what a line says. An error names the line, if it has a number. */
  async run(text: string, line: number | undefined): Promise<void> {
    const operation = text.trim();
    if (operation === "") return;
    try {
      await this.#run(operation);
    } catch (error) {
      if (line === undefined || !(error instanceof OrthantError)) throw error;
      throw new OrthantError(error.code, `line ${line}: ${error.detail}`, error.context, { cause: error });
    }
  }

  async #run(operation: string): Promise<void> {
    const { dimensions } = this.#world;
    const [, selection] = /^select\s+(.*)$/s.exec(operation) ?? [];
    if (selection !== undefined) this.select(parseSelection(selection, { dimensions }));
    else if (operation === "undo") this.#report(operation, await this.#undo());
    else this.#report(operation, await this.#apply(operation));
  }

  async #apply(text: string): Promise<AppliedOperation> {
    const operation = parseOperation(text, { dimensions: this.#world.dimensions });
    const isPlaced = operation.in !== undefined || this.#selection !== undefined;
    if (!isPlaced && !("line" in operation || "curve" in operation))
      throw new UsageError(`say where: with --in, or as in "${text} in sphere(0,64,0,8)"`);
    const within = operation.in === undefined && this.#selection !== undefined ? { in: this.#selection } : {};
    const progress = this.#context.progress("editing", "chunk");
    let shown = 0;
    try {
      const made = await this.#world.apply(operation, {
        ...within,
        dryRun: this.#isDry,
        signal: this.#context.signal,
        onProgress({ done }) {
          progress.advance(Math.max(0, done - shown));
          shown = done;
        },
      });
      this.#done.push(made);
      return made;
    } finally {
      progress.end();
    }
  }

  async #undo(): Promise<AppliedOperation> {
    const last = this.#done.pop();
    if (last === undefined)
      throw new OrthantError("ORT_ARGUMENT", "there is no operation to undo in this command");
    return last.undo();
  }

  #report(operation: string, { count, box }: AppliedOperation): void {
    this.results.push({
      operation,
      voxels: count,
      box: box === undefined ? null : { min: box.min, max: box.max },
    });
    const where = box === undefined ? "" : ` in ${formatCorners(box)}`;
    const verb = this.#isDry ? "would change" : "changed";
    this.#context.print(`${operation}: ${verb} ${formatAmount(count, "voxel")}${where}`);
  }
}

async function linesOf(file: string): Promise<readonly string[]> {
  return (await readFile(file === "-" ? STANDARD_INPUT : file, "utf8")).split("\n");
}

/** Reads a box as other commands take it, or a selection. */
function selectionOf(text: string, dimensions: Dimensions): Selection {
  const [, from, to] = CORNERS.exec(text.trim()) ?? [];
  return parseSelection(from === undefined ? text : `box(${from},${to})`, { dimensions });
}

function formatCorners({ min, max }: VoxelBox): string {
  return `${min.join(",")}..${max.join(",")}`;
}
