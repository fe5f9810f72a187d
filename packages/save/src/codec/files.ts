import { U32_MAX } from "@orthant/core/bytes";
import { DATA_FOLDER, INDEX_FOLDER } from "./layout.ts";

/** The files of one generation, relative to the save's root. */
export interface GenerationFiles {
  readonly indexFile: string;
  readonly globalFile: string;
  readonly playersFile: string;
}

/** The parts of a page's name. */
interface PageName {
  /** Generation that wrote it. */
  readonly generation: number;
  readonly number: number;
}

const GENERATION_NAME =
  /^(?:(?<index>index\/ix-main\.g\d{16}\.v4ix)|(?<global>global\.g\d{16}\.v4g)|(?<players>players\.g\d{16}\.v4p))$/;
const GENERATION_DIGITS = /\.g(\d{16})\./;
const PAGE_NAME = /^index\/ix-(\d{6,10})\.g(\d{16})\.v4ix$/;
const PACK_NAME = /^data\/dt-(\d{6,10})\.v4dt$/;

/** Returns the file names of a generation, whose number is written in 16 decimal digits. */
export function generationFiles(generation: number): GenerationFiles {
  const digits = digitsOf(generation);
  return {
    indexFile: `${INDEX_FOLDER}/ix-main.g${digits}.v4ix`,
    globalFile: `global.g${digits}.v4g`,
    playersFile: `players.g${digits}.v4p`,
  };
}

/** Returns the generation and kind of file that a path names; `undefined` for any other path. */
export function parseGenerationFile(
  path: string,
): { readonly generation: number; readonly kind: keyof GenerationFiles } | undefined {
  const { groups } = GENERATION_NAME.exec(path) ?? {};
  if (groups === undefined) return undefined;
  const generation = Number(GENERATION_DIGITS.exec(path)?.[1]);
  if (!Number.isSafeInteger(generation)) return undefined;
  const kind = groups["index"] ? "indexFile" : groups["global"] ? "globalFile" : "playersFile";
  return { generation, kind };
}

/** Returns the path of an index page other than the root. Numbers start at 1 and have at least six digits. */
export function pageFile({ generation, number }: PageName): string {
  return `${INDEX_FOLDER}/ix-${String(number).padStart(6, "0")}.g${digitsOf(generation)}.v4ix`;
}

/** Returns the page that a path names; `undefined` for any other path. */
export function parsePageFile(path: string): PageName | undefined {
  const [, number, generation] = PAGE_NAME.exec(path) ?? [];
  const page = { number: Number(number), generation: Number(generation) };
  const isPage = page.number >= 1 && page.number <= U32_MAX && Number.isSafeInteger(page.generation);
  return isPage && pageFile(page) === path ? page : undefined;
}

/** Returns the path of a pack. Ids start at 1 and have at least six digits. */
export function packFile(packId: number): string {
  return `${DATA_FOLDER}/dt-${String(packId).padStart(6, "0")}.v4dt`;
}

/** Returns the id of the pack that a path names; `undefined` for any other path. */
export function parsePackFile(path: string): number | undefined {
  const id = Number(PACK_NAME.exec(path)?.[1]);
  return id >= 1 && id <= U32_MAX && packFile(id) === path ? id : undefined;
}

function digitsOf(generation: number): string {
  return String(generation).padStart(16, "0");
}
