import { realpath, stat } from "node:fs/promises";
import { basename, dirname } from "node:path";
import { type GeneratorRegistry, OrthantError, type TimeSource } from "@orthant/core";
import { printable } from "@orthant/core/arguments";
import { type Disk, type DiskCall, type FolderDisk, GatedDisk } from "@orthant/disk";
import { NodeDisk } from "@orthant/disk/node";
import type { FormatProgress } from "@orthant/formats";
import {
  type CommandEnvironment,
  plainStyle,
  type Style,
  type TextStyle,
  terminalStyle,
} from "./environment.ts";
import { makeFolder, makeFolderInParts } from "./files.ts";
import type { GameGenerator, KnownGenerators } from "./game-generators.ts";
import { noProgress, ProgressLine } from "./progress.ts";
import { jsonLine } from "./report.ts";

/** Output options of every command. */
interface OutputOptions {
  /** Print one object instead of text. */
  readonly json: boolean;
  /** Print only errors, and the object of `--json`. */
  readonly quiet: boolean;
}

/** Location of a world: a folder, or one file in it. */
interface WorldLocation {
  readonly disk: Disk;
  /** `undefined` for the whole folder. */
  readonly file: string | undefined;
}

/**
 * A command's only access to the machine. Its output may come from a save, a file name or the network, so
 * this class escapes every line: see `printable`.
 */
export class Context {
  readonly time: TimeSource;
  /** Aborted when the user stops the command. */
  readonly signal: AbortSignal;
  readonly variables: CommandEnvironment["variables"];
  /** The generators of Orthant and those of the game. */
  readonly generators: GeneratorRegistry;
  readonly gameGenerators: readonly GameGenerator[];
  readonly #style: Style;
  readonly #environment: CommandEnvironment;
  readonly #options: OutputOptions;

  constructor(environment: CommandEnvironment, options: OutputOptions, { registry, own }: KnownGenerators) {
    this.time = environment.time;
    this.signal = environment.signal;
    this.variables = environment.variables;
    this.generators = registry;
    this.gameGenerators = own;
    this.#style = hasColours(environment) ? terminalStyle : plainStyle;
    this.#environment = environment;
    this.#options = options;
  }

  /** Prints a line of the result for people; nothing with `--json` or `--quiet`. */
  print(line: string): void {
    if (!this.#options.json && !this.#options.quiet) this.#environment.output.write(`${printable(line)}\n`);
  }

  /** Prints a line whose first word is highlighted. */
  printMarked(style: TextStyle, word: string, rest: string): void {
    if (this.#options.json || this.#options.quiet) return;
    this.#environment.output.write(`${this.#style(style, printable(word))}${printable(rest)}\n`);
  }

  /** Prints several lines. */
  printAll(lines: Iterable<string>): void {
    for (const line of lines) this.print(line);
  }

  /** Prints the result as one object for programs; nothing without `--json`. Bigints become decimal text. */
  printJson(result: object): void {
    if (this.#options.json) this.#environment.output.write(`${jsonLine(result)}\n`);
  }

  /** Prints a remark that is not part of the result; nothing with `--quiet`. */
  note(line: string): void {
    if (!this.#options.quiet) this.#environment.errors.write(`${printable(line)}\n`);
  }

  /** Prints a warning about a problem that does not stop the command, even with `--quiet`. */
  warn(line: string): void {
    this.#environment.errors.write(`warning: ${printable(line)}\n`);
  }

  /** Shows the progress of long work, only on a terminal. Call `end` before anything else is printed. */
  progress(label: string, unit: string, total?: number): FormatProgress {
    const { errors, time } = this.#environment;
    const isWanted = errors.isTerminal && !this.#options.json && !this.#options.quiet;
    return isWanted ? new ProgressLine(errors, time, label, unit, total) : noProgress;
  }

  /** Opens a folder as a disk, which throws once the user stops the command. `ORT_NOT_FOUND` if missing. */
  async openDisk(folder: string, onBytes?: (bytes: number) => void): Promise<Disk> {
    const found = await stat(folder).catch(() => undefined);
    if (found === undefined)
      throw new OrthantError("ORT_NOT_FOUND", `there is no folder "${folder}"; check how it is spelled`);
    if (!found.isDirectory())
      throw new OrthantError("ORT_NOT_FOUND", `"${folder}" is a file, where the folder of a world is wanted`);
    return watchedDisk(new NodeDisk(folder), this.#watch(onBytes));
  }

  /** Opens a folder like {@link openDisk}, in which folders can be moved. */
  async openFolders(folder: string, onBytes?: (bytes: number) => void): Promise<FolderDisk> {
    return movable(await this.openDisk(folder, onBytes), new NodeDisk(folder));
  }

  /** Opens a folder like {@link openDisk}, or a file within its folder. Either may be a link, as the user named it. */
  async openLocation(path: string, onBytes?: (bytes: number) => void): Promise<WorldLocation> {
    const found = await stat(path).catch(() => undefined);
    if (found?.isFile() !== true) return { disk: await this.openDisk(path, onBytes), file: undefined };
    const file = await realpath(path);
    return { disk: await this.openDisk(dirname(file), onBytes), file: basename(file) };
  }

  /** Opens a disk that works even after the user stops the command, so that a long-running one can save. */
  async openSteadyDisk(folder: string): Promise<Disk> {
    await this.openDisk(folder);
    this.takeSignals();
    return new NodeDisk(folder);
  }

  /**
   * Call this before work that must be finished or undone: from then on a signal aborts {@link signal};
   * before, it ends the process at once. Writing to a disk, a new folder and {@link whenEnding} call it
   * themselves.
   */
  takeSignals(): void {
    this.#environment.takeSignals?.();
  }

  /** Resolves when the user stops the command. */
  async whenEnding(): Promise<void> {
    this.takeSignals();
    if (this.signal.aborted) return;
    await new Promise<void>((resolve) => {
      this.signal.addEventListener("abort", () => resolve(), { once: true });
    });
  }

  /**
   * Creates a folder with the content that `fill` writes: completely or not at all, even when the user stops
   * the command. Throws `ORT_NOT_EMPTY` when the folder has content.
   */
  makeFolder<Value>(
    folder: string,
    fill: (disk: Disk) => Promise<Value>,
    onBytes?: (bytes: number) => void,
  ): Promise<Value> {
    this.takeSignals();
    return makeFolder(folder, (disk) => fill(watchedDisk(disk, this.#watch(onBytes))));
  }

  /** Creates a folder like {@link makeFolder}, but keeps what is done when the user stops the command: see `makeFolderInParts`. */
  makeFolderInParts<Value>(folder: string, fill: (disk: Disk) => Promise<Value>): Promise<Value> {
    this.takeSignals();
    return makeFolderInParts(folder, (disk) => fill(watchedDisk(disk, this.#watch(undefined))));
  }

  /** Creates a folder like {@link makeFolder}, in which folders can be moved. */
  makeFolders<Value>(
    folder: string,
    fill: (disk: FolderDisk) => Promise<Value>,
    onBytes?: (bytes: number) => void,
  ): Promise<Value> {
    this.takeSignals();
    return makeFolder(folder, (disk) => fill(movable(watchedDisk(disk, this.#watch(onBytes)), disk)));
  }

  #watch(onBytes: ((bytes: number) => void) | undefined): DiskWatch {
    return { signal: this.signal, onWriting: () => this.takeSignals(), ...(onBytes && { onBytes }) };
  }
}

/** Only on a terminal, and unless the user opts out as https://no-color.org describes. */
function hasColours({ output, variables }: CommandEnvironment): boolean {
  return output.isTerminal && !variables["NO_COLOR"] && variables["TERM"] !== "dumb";
}

/** Observer of a disk. */
interface DiskWatch {
  /** Once aborted, every further operation throws its reason; open files can still be closed. */
  readonly signal: AbortSignal;
  /** Called before a world is locked, which is where writing to it begins. */
  readonly onWriting?: () => void;
  /** Called with the number of bytes read or written. */
  readonly onBytes?: (bytes: number) => void;
}

const ALWAYS_ALLOWED: ReadonlySet<DiskCall["operation"]> = new Set(["size", "close", "lock"]);

/** Wraps a disk so that it stops on a signal and counts the bytes that pass. */
function movable(watched: Disk, disk: NodeDisk): FolderDisk {
  return Object.assign(watched, {
    moveDirectory: (from: string, to: string) => disk.moveDirectory(from, to),
  });
}

function watchedDisk(disk: Disk, { signal, onWriting, onBytes }: DiskWatch): Disk {
  return new GatedDisk(disk, async ({ operation, bytes }, happen) => {
    if (!ALWAYS_ALLOWED.has(operation)) signal.throwIfAborted();
    if (operation === "lock") onWriting?.();
    const result = await happen();
    if (bytes > 0) onBytes?.(bytes);
    return result;
  });
}
