import { stat } from "node:fs/promises";
import { basename, dirname } from "node:path";
import { type Clock, OrthantError, printable } from "@orthant/core";
import type { Disk } from "@orthant/disk";
import { NodeDisk } from "@orthant/disk/node";
import { makeFolder } from "./new-folder.ts";
import { noProgress, type Progress, ProgressLine, type ProgressUnit } from "./progress.ts";
import { jsonLine } from "./report/json.ts";
import { type Look, plainStyle, type Style, terminalStyle } from "./style.ts";
import type { Surroundings } from "./surroundings.ts";
import { type DiskWatch, watchedDisk } from "./watched-disk.ts";

/** What every command may be told about its output. */
export interface OutputWishes {
  /** One object instead of text. */
  readonly json: boolean;
  /** Errors alone, and the object of `--json`. */
  readonly quiet: boolean;
}

/** Where a world lies: a folder, or one file of it. */
export interface WorldLocation {
  readonly disk: Disk;
  /** `undefined` for the whole folder. */
  readonly file: string | undefined;
}

/**
 * All that a command touches the machine through. What it prints may come from a save, a file name or the network, so
 * every line is escaped here: see `printable`.
 */
export class Context {
  readonly clock: Clock;
  /** Aborted when the user wants the command to end. */
  readonly signal: AbortSignal;
  readonly environment: Surroundings["environment"];
  readonly #style: Style;
  readonly #surroundings: Surroundings;
  readonly #wishes: OutputWishes;

  constructor(surroundings: Surroundings, wishes: OutputWishes) {
    this.clock = surroundings.clock;
    this.signal = surroundings.signal;
    this.environment = surroundings.environment;
    this.#style = hasColours(surroundings) ? terminalStyle : plainStyle;
    this.#surroundings = surroundings;
    this.#wishes = wishes;
  }

  /** A line of the result, for people: nothing with `--json` or `--quiet`. */
  print(line: string): void {
    if (!this.#wishes.json && !this.#wishes.quiet) this.#surroundings.output.write(`${printable(line)}\n`);
  }

  /** The same with a first word in a look of its own. */
  printMarked(look: Look, word: string, rest: string): void {
    if (this.#wishes.json || this.#wishes.quiet) return;
    this.#surroundings.output.write(`${this.#style(look, printable(word))}${printable(rest)}\n`);
  }

  /** Several of them. */
  printAll(lines: Iterable<string>): void {
    for (const line of lines) this.print(line);
  }

  /** The result as one object, for programs: nothing without `--json`. Bigints become decimal text. */
  printJson(result: object): void {
    if (this.#wishes.json) this.#surroundings.output.write(`${jsonLine(result)}\n`);
  }

  /** A remark that is no part of the result: nothing with `--quiet`. */
  note(line: string): void {
    if (!this.#wishes.quiet) this.#surroundings.errors.write(`${printable(line)}\n`);
  }

  /** Something that went wrong while the command goes on: printed also with `--quiet`. */
  warn(line: string): void {
    this.#surroundings.errors.write(`warning: ${printable(line)}\n`);
  }

  /** A line that says how far long work has come, on a terminal alone. `end` it before anything else is printed. */
  progress(label: string, unit: ProgressUnit, total?: number): Progress {
    const { errors, clock } = this.#surroundings;
    const isWanted = errors.isTerminal && !this.#wishes.json && !this.#wishes.quiet;
    return isWanted ? new ProgressLine(errors, clock, label, unit, total) : noProgress;
  }

  /** The folder as a disk, which throws when the user wants to end; `ORT_NOT_FOUND` when there is none. */
  async openDisk(folder: string, onBytes?: (bytes: number) => void): Promise<Disk> {
    const found = await stat(folder).catch(() => undefined);
    if (found === undefined)
      throw new OrthantError("ORT_NOT_FOUND", `there is no folder "${folder}"; check how it is spelled`);
    if (!found.isDirectory())
      throw new OrthantError("ORT_NOT_FOUND", `"${folder}" is a file, where the folder of a world is wanted`);
    return watchedDisk(new NodeDisk(folder), this.#watch(onBytes));
  }

  /** A folder as {@link openDisk} opens it, or a file and the folder that it is in. */
  async openLocation(path: string, onBytes?: (bytes: number) => void): Promise<WorldLocation> {
    const found = await stat(path).catch(() => undefined);
    if (found?.isFile() !== true) return { disk: await this.openDisk(path, onBytes), file: undefined };
    return { disk: await this.openDisk(dirname(path), onBytes), file: basename(path) };
  }

  /** The same without the throwing: for what is open for long and saves what it has when the user wants to end. */
  async openSteadyDisk(folder: string): Promise<Disk> {
    await this.openDisk(folder);
    this.takeSignals();
    return new NodeDisk(folder);
  }

  /**
   * Call it before something that has to be finished or undone: from now on a signal aborts {@link signal}, and until now
   * it ends the process at once. Writing to a disk, a new folder and {@link whenEnding} do so by themselves.
   */
  takeSignals(): void {
    this.#surroundings.takeSignals?.();
  }

  /** Kept when the user wants the command to end. */
  async whenEnding(): Promise<void> {
    this.takeSignals();
    if (this.signal.aborted) return;
    await new Promise<void>((resolve) => {
      this.signal.addEventListener("abort", () => resolve(), { once: true });
    });
  }

  /**
   * Makes a new folder with what `fill` writes: all of it or nothing, also when the user wants to end.
   * `ORT_NOT_EMPTY` when something is there.
   */
  makeFolder<Value>(
    folder: string,
    fill: (disk: Disk) => Promise<Value>,
    onBytes?: (bytes: number) => void,
  ): Promise<Value> {
    this.takeSignals();
    return makeFolder(folder, (disk) => fill(watchedDisk(disk, this.#watch(onBytes))));
  }

  #watch(onBytes: ((bytes: number) => void) | undefined): DiskWatch {
    return { signal: this.signal, onWriting: () => this.takeSignals(), ...(onBytes && { onBytes }) };
  }
}

/** Colours on a terminal alone, and not where https://no-color.org says that nobody wants them. */
function hasColours({ output, environment }: Surroundings): boolean {
  return output.isTerminal && !environment["NO_COLOR"] && environment["TERM"] !== "dumb";
}
