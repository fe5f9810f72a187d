import { readFile, stat } from "node:fs/promises";
import { type Dimensions, OrthantError, type Position, type VoxelBox } from "@orthant/core";
import { requireAtMost } from "@orthant/core/arguments";
import {
  CLIPBOARD_BYTES_MAX,
  type Clipboard,
  type Operation,
  type Selection,
  type TurnStep,
} from "@orthant/core/operations";
import { type ConversionLoss, formatAmount, formatBytes } from "@orthant/formats";
import { exportClipboard } from "@orthant/formats/exports";
import { importClipboard } from "@orthant/formats/imports";
import type { Context } from "../command/context.ts";
import { makeFile } from "../command/files.ts";
import { UsageError } from "../command/usage.ts";
import { printLosses, refusedLoss } from "../world/losses.ts";
import { type EditLine, parseEditLine } from "./edit-line.ts";
import type { EditTarget, TargetChange } from "./edit-target.ts";

/** What one line did, for programs. */
interface EditResultRow {
  readonly operation: string;
  readonly voxels: number;
  readonly box: Pick<VoxelBox, "min" | "max"> | null;
}

/** What the options of a session allow. */
export interface EditSessionOptions {
  /** Whether nothing is changed or written. */
  readonly isDry: boolean;
  /** Whether a file may lack something of a clipboard. */
  readonly acceptsLoss: boolean;
  /** Whether a file may be replaced. */
  readonly replacesFiles: boolean;
  /** What types of blocks are called in files that are saved, and in the world when one is loaded. */
  readonly names: Readonly<Record<string, string>>;
}

/** Lines on one world, one after the other. */
export class EditSession {
  readonly results: EditResultRow[] = [];
  readonly losses: ConversionLoss[] = [];
  readonly #target: EditTarget;
  readonly #options: EditSessionOptions;
  readonly #context: Context;
  #selection: Selection | undefined;
  #clipboard: Clipboard | undefined;

  constructor(target: EditTarget, options: EditSessionOptions, context: Context) {
    this.#target = target;
    this.#options = options;
    this.#context = context;
  }

  select(selection: Selection): void {
    this.#selection = selection;
  }

  /** Does what a line says. An error names the line, if it has a number. */
  async run(text: string, line: number | undefined): Promise<void> {
    const trimmed = text.trim();
    if (trimmed === "") return;
    try {
      await this.#run(trimmed, parseEditLine(trimmed, this.#target.dimensions));
    } catch (error) {
      if (line === undefined) throw error;
      if (error instanceof UsageError) throw new UsageError(`line ${line}: ${error.message}`);
      if (!(error instanceof OrthantError)) throw error;
      throw new OrthantError(error.code, `line ${line}: ${error.detail}`, error.context, { cause: error });
    }
  }

  async #run(text: string, line: EditLine): Promise<void> {
    switch (line.kind) {
      case "select":
        this.select(line.selection);
        return;
      case "copy":
        await this.#copy(text);
        return;
      case "cut":
        this.#report(text, await this.#apply({ drain: { inside: await this.#copy(undefined) } }, text));
        return;
      case "paste":
        this.#report(text, await this.#paste(line.at, line.turns));
        return;
      case "save":
      case "load":
        if (this.#target.keepsClipboards)
          throw new UsageError(`a server keeps its clipboards: "${line.kind}" needs the folder of a world`);
        await (line.kind === "save" ? this.#save(text, line.file) : this.#load(text, line.file));
        return;
      case "undo":
        this.#report(text, (await this.#target.undo()) ?? nothingTo("undo"));
        return;
      case "redo":
        this.#report(text, (await this.#target.redo()) ?? nothingTo("redo"));
        return;
      default:
        this.#report(text, await this.#apply(line.operation, text));
    }
  }

  async #apply(operation: Operation, text: string): Promise<TargetChange> {
    const isPlaced = operation.in !== undefined || this.#selection !== undefined;
    if (!isPlaced && !("line" in operation || "curve" in operation || "paste" in operation))
      throw new UsageError(`say where: with --in, or as in "${text} in sphere(0,64,0,8)"`);
    const isDrawing = "paste" in operation;
    const within =
      operation.in === undefined && this.#selection !== undefined && !isDrawing
        ? { in: this.#selection }
        : {};
    const progress = this.#context.progress("editing", "chunk");
    let shown = 0;
    try {
      return await this.#target.apply(operation, {
        ...within,
        signal: this.#context.signal,
        onProgress({ done }) {
          progress.advance(Math.max(0, done - shown));
          shown = done;
        },
      });
    } finally {
      progress.end();
    }
  }

  async #copy(text: string | undefined): Promise<Selection> {
    const selection = this.#selection;
    if (selection === undefined)
      throw new UsageError('select first: with --in, or a line such as "select box(0,60,0,16,72,16)"');
    this.#clipboard = await this.#target.clipboard(selection);
    if (text !== undefined) this.#context.print(`${text}: ${sizeOf(this.#clipboard)}`);
    return selection;
  }

  async #paste(at: Position<Dimensions>, turns: readonly TurnStep[]): Promise<TargetChange> {
    const turned = turns.reduce(
      (clipboard, turn) =>
        "mirror" in turn ? clipboard.mirror(turn.mirror) : clipboard.rotate(turn.rotate, turn.turns),
      this.#held(),
    );
    const defined = await this.#target.defineBlocks(turned);
    if (defined.length > 0)
      this.#context.print(`${this.#verb("defined", "would define")} ${defined.join(", ")}`);
    return this.#apply({ paste: turned, at }, "paste");
  }

  async #save(text: string, file: string): Promise<void> {
    const { isDry, acceptsLoss, replacesFiles, names } = this.#options;
    const clipboard = this.#held().renamed(names);
    const { bytes, losses } = await exportClipboard(clipboard, file);
    this.losses.push(...losses);
    printLosses(losses, this.#context);
    if (losses.length > 0 && !acceptsLoss && !isDry) throw refusedLoss(losses);
    if (!isDry) await makeFile(file, replacesFiles, (append) => append(bytes));
    this.#context.print(
      `${text}: ${this.#verb("wrote", "would write")} ${sizeOf(clipboard)}, ${formatBytes(bytes.length)}`,
    );
  }

  async #load(text: string, file: string): Promise<void> {
    const { clipboard, losses } = await importClipboard(await bytesOf(file), file);
    this.losses.push(...losses);
    printLosses(losses, this.#context);
    this.#clipboard = clipboard.renamed(this.#options.names);
    this.#context.print(`${text}: ${sizeOf(clipboard)}`);
  }

  #held(): Clipboard {
    if (this.#clipboard !== undefined) return this.#clipboard;
    throw new UsageError('the clipboard is empty: a line "copy", "cut" or "load house.clip" fills it');
  }

  #verb(done: string, planned: string): string {
    return this.#options.isDry ? planned : done;
  }

  #report(operation: string, { count, box }: TargetChange): void {
    this.results.push({
      operation,
      voxels: count,
      box: box === undefined ? null : { min: box.min, max: box.max },
    });
    const where = box === undefined ? "" : ` in ${formatCorners(box)}`;
    const verb = this.#verb("changed", "would change");
    this.#context.print(`${operation}: ${verb} ${formatAmount(count, "voxel")}${where}`);
  }
}

async function bytesOf(file: string): Promise<Uint8Array> {
  const found = await stat(file).catch(() => undefined);
  if (!found?.isFile()) throw new OrthantError("ORT_NOT_FOUND", `there is no file "${file}"`);
  requireAtMost(found.size, CLIPBOARD_BYTES_MAX, "bytes of a clipboard's file", "copy in parts");
  return readFile(file);
}

function nothingTo(what: string): never {
  throw new OrthantError("ORT_ARGUMENT", `there is no operation to ${what}`);
}

function sizeOf({ size }: Clipboard): string {
  return `${size.join(" x ")} voxels`;
}

function formatCorners({ min, max }: VoxelBox): string {
  return `${min.join(",")}..${max.join(",")}`;
}
