import {
  CUBE_SIZE_MAX,
  type DetectedFormat,
  MARSMINER_DIALECTS,
  type MarsMinerDialect,
  type OpenMarsMinerOptions,
} from "@orthant/formats";
import type { Arguments, OptionSpec } from "../command.ts";
import { integerBetween } from "../parse.ts";
import { UsageError } from "../usage.ts";

/** Facts about a MarsMiner world that its files do not contain. */
export const MARSMINER_OPTIONS: readonly OptionSpec[] = [
  {
    flags: "--dialect <name>",
    description: "of a MarsMiner world, instead of the one that fits",
    choices: MARSMINER_DIALECTS,
  },
  {
    flags: "--cube-size <voxels>",
    description: "edge of an octree's cube in a MarsMiner world (default: 64)",
  },
];

/** Returns the given options. */
export function marsMinerOptions(args: Arguments): OpenMarsMinerOptions {
  const dialect = MARSMINER_DIALECTS.find((name) => name === args.text("dialect"));
  const cubeSize = args.parsed("cubeSize", parseCubeSize);
  return { ...(dialect && { dialect }), ...(cubeSize !== undefined && { cubeSize }) };
}

/** Throws when an option was given that does not apply to the world's format. */
export function refuseMarsMinerOptions(args: Arguments, folder: string, { format }: DetectedFormat): void {
  if (format === "marsminer") return;
  const { dialect, cubeSize } = marsMinerOptions(args);
  const given: readonly (readonly [string, MarsMinerDialect | number | undefined])[] = [
    ["--dialect", dialect],
    ["--cube-size", cubeSize],
  ];
  for (const [flag, value] of given) {
    if (value !== undefined) throw new UsageError(`${flag} is for MarsMiner worlds, and "${folder}" is none`);
  }
}

/** Parses a power of two. */
function parseCubeSize(text: string): number {
  const size = integerBetween(1, CUBE_SIZE_MAX)(text);
  if (Number.isInteger(Math.log2(size))) return size;
  throw new UsageError(`"${text}" is no power of two, which the edge of a cube is`);
}
