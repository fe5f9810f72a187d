import { realpathSync, statSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { OrthantError } from "@orthant/core";
import type { Disk } from "@orthant/disk";
import {
  type ConversionOutcome,
  convertToMemory,
  type DetectedWorld,
  FOREIGN_FORMATS,
  type Format,
  type FormatRequest,
  formatBytes,
} from "@orthant/formats";
import { IMPORTED_FORMATS } from "@orthant/formats/imports";
import type { Arguments, OptionSpec } from "../command/command.ts";
import type { Context } from "../command/context.ts";
import { UsageError } from "../command/usage.ts";
import { ImportThreads } from "../import/import-threads.ts";
import { nativeFormat } from "./native-format.ts";

/** Every format that commands know. */
const FORMATS: readonly Format[] = [nativeFormat, ...FOREIGN_FORMATS, ...IMPORTED_FORMATS];

/** Maximum bytes of a copy in memory. */
const COPY_BYTES_MAX = 268_435_456;

/** What worlds can be converted to. */
export const CONVERSION_TARGETS: readonly string[] = ["orthant", "v3", ...FOREIGN_FORMATS.flatMap(exportsOf)];

/** A world of a known format. */
export interface FoundWorld {
  readonly path: string;
  readonly disk: Disk;
  readonly format: Format;
  readonly world: DetectedWorld;
}

/** Finds the world in a folder or a file. Throws `ORT_NOT_FOUND` when there is none of a known format. */
export async function findWorld(
  path: string,
  context: Context,
  onBytes?: (bytes: number) => void,
): Promise<FoundWorld> {
  const { disk, file } = await context.openLocation(path, onBytes);
  return detectAt(disk, path, file);
}

/** Throws `ORT_NOT_FOUND` for a folder without a world, `ORT_DIALECT` for a world that needs conversion. */
export async function requireNative(disk: Disk, folder: string): Promise<void> {
  const found = await detectAt(disk, folder);
  if (found.format !== nativeFormat) throw unsupported(found);
}

/** A native world that a command only reads. */
interface ReadableWorld {
  readonly disk: Disk;
  /** Whether it was converted in memory, so that its files are not those of the folder. */
  readonly isConverted: boolean;
}

/** Opens a world to read, in memory if its format supports it. Throws like {@link requireNative} for others. */
export async function openReadable(folder: string, context: Context): Promise<ReadableWorld> {
  const found = await findWorld(folder, context);
  const { disk, format, world } = found;
  if (format === nativeFormat) return { disk, isConverted: false };
  if (format.open === undefined) throw unsupported(found);
  return { disk: await format.open({ disk, world, values: {}, environment: context }), isConverted: true };
}

/** Opens a copy in memory of a world of another format, of at most {@link COPY_BYTES_MAX}. */
export async function openCopy(found: FoundWorld, context: Context): Promise<Disk> {
  const { disk, format, world } = found;
  const request = { disk, world, values: {}, environment: context };
  return format.open === undefined ? (await copyInMemory(found, request)).disk : format.open(request);
}

/** Converts a world of another format in memory, to at most {@link COPY_BYTES_MAX}. */
export function copyInMemory(
  { path, format }: FoundWorld,
  request: FormatRequest,
): Promise<{ readonly disk: Disk; readonly outcome: ConversionOutcome }> {
  const tooLarge = (): OrthantError =>
    new OrthantError(
      "ORT_LIMIT",
      `a copy of "${path}" takes more than ${formatBytes(COPY_BYTES_MAX)} of memory: orthant convert converts it to an Orthant world`,
    );
  return convertToMemory(format, request, { bytesMax: COPY_BYTES_MAX, tooLarge });
}

async function detectAt(disk: Disk, path: string, file?: string): Promise<FoundWorld> {
  for (const format of FORMATS) {
    const world = await format.detect(disk, file);
    if (world !== undefined) return { path, disk, format, world };
  }
  throw new OrthantError(
    "ORT_NOT_FOUND",
    file === undefined
      ? `the folder "${path}" holds no world of a format that is known here; orthant create makes a new one elsewhere`
      : `the file "${path}" is not a world in a known format; a world is a folder, or a file such as world.save, house.schem or map.tmj`,
  );
}

/** Returns the error for a command that does not support a format. */
export function unsupported({ path, world }: Pick<FoundWorld, "path" | "world">): OrthantError {
  const found = `"${path}" is a world of ${describeFormat(world)}, which this command does not support`;
  return new OrthantError("ORT_DIALECT", `${found}; orthant convert converts it to an Orthant world`);
}

/** Formats a format for people: `marsminer (draft)`. */
export function describeFormat({ format, dialect }: DetectedWorld): string {
  return dialect === undefined ? format : `${format} (${dialect})`;
}

/** Returns the options of all formats, for commands that support every format. */
export function formatOptions(isConversion = false): readonly OptionSpec[] {
  return FORMATS.flatMap(({ options = [] }) => options)
    .filter(({ isForConversion = false }) => isConversion || !isForConversion)
    .map(({ flags, description, choices }) => ({ flags, description, ...(choices && { choices }) }));
}

/** Returns the request for a world. An option of a format that is neither the world's nor `to`'s is an error. */
export function formatRequest(
  { path, disk, format, world }: FoundWorld,
  args: Arguments,
  context: Context,
  to?: string,
): FormatRequest {
  const values: Record<string, string | undefined> = {};
  for (const owner of FORMATS) {
    const isInUse = owner === format || (to !== undefined && exportsOf(owner).includes(to));
    for (const { name, flags, check } of owner.options ?? []) {
      const value = args.parsed(name, (text) => {
        check?.(text);
        return text;
      });
      if (value !== undefined && !isInUse) {
        const [flag] = flags.split(" ");
        throw new UsageError(`${flag} is for ${owner.title} worlds, and "${path}" is not one`);
      }
      values[name] = value;
    }
  }
  return { disk, world, values, environment: context };
}

/** Returns how to start threads for a conversion; `undefined` if it works in one thread. */
export function importStarter(
  { path, world }: FoundWorld,
  { values }: FormatRequest,
  count: number,
): FormatRequest["startImport"] {
  if (count <= 1) return undefined;
  return (format, own) => {
    const folder = statSync(path).isFile() ? dirname(realpathSync(path)) : resolve(path);
    return new ImportThreads({ folder, format, world, values }, count, own);
  };
}

function exportsOf({ exporters = {} }: Format): readonly string[] {
  return Object.keys(exporters);
}
