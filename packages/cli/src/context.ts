import { stat } from "node:fs/promises";
import { basename, dirname } from "node:path";
import { type Clock, OrthantError } from "@orthant/core";
import type { Disk } from "@orthant/disk";
import { NodeDisk } from "@orthant/disk/node";
import { makeFolder } from "./new-folder.ts";
import { noProgress, type Progress, ProgressLine, type ProgressUnit } from "./progress.ts";
import { jsonLine } from "./report/json.ts";
import { plainStyle, type Style, terminalStyle } from "./style.ts";
import type { Surroundings } from "./surroundings.ts";
import { watchedDisk } from "./watched-disk.ts";

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

/** All that a command touches the machine through. */
export class Context {
  readonly clock: Clock;
  /** Aborted when the user wants the command to end. */
  readonly signal: AbortSignal;
  readonly environment: Surroundings["environment"];
  /** How results look. */
  readonly style: Style;
  readonly #surroundings: Surroundings;
  readonly #wishes: OutputWishes;

  constructor(surroundings: Surroundings, wishes: OutputWishes) {
    this.clock = surroundings.clock;
    this.signal = surroundings.signal;
    this.environment = surroundings.environment;
    this.style = hasColours(surroundings) ? terminalStyle : plainStyle;
    this.#surroundings = surroundings;
    this.#wishes = wishes;
  }

  /** A line of the result, for people: nothing with `--json` or `--quiet`. */
  print(line: string): void {
    if (!this.#wishes.json && !this.#wishes.quiet) this.#surroundings.output.write(`${line}\n`);
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
    if (!this.#wishes.quiet) this.#surroundings.errors.write(`${line}\n`);
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
    return watchedDisk(new NodeDisk(folder), { signal: this.signal, ...(onBytes && { onBytes }) });
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
    return new NodeDisk(folder);
  }

  /** Kept when the user wants the command to end. */
  async whenEnding(): Promise<void> {
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
    const watch = { signal: this.signal, ...(onBytes && { onBytes }) };
    return makeFolder(folder, (disk) => fill(watchedDisk(disk, watch)));
  }
}

/** Colours on a terminal alone, and not where https://no-color.org says that nobody wants them. */
function hasColours({ output, environment }: Surroundings): boolean {
  return output.isTerminal && !environment["NO_COLOR"] && environment["TERM"] !== "dumb";
}
