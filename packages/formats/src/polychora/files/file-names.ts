import { U32_MAX } from "@orthant/core";
import { DATA_FOLDER, INDEX_FOLDER } from "../layout.ts";

/** The files that belong to one generation, relative to the save's root. */
export interface GenerationFiles {
  readonly indexFile: string;
  readonly globalFile: string;
  readonly playersFile: string;
}

/** What the name of a page says. */
export interface PageName {
  /** The generation that wrote it. */
  readonly generation: number;
  readonly number: number;
}

const GENERATION_NAME =
  /^(?:(?<index>index\/ix-main\.g\d{16}\.v4ix)|(?<global>global\.g\d{16}\.v4g)|(?<players>players\.g\d{16}\.v4p))$/;
const GENERATION_DIGITS = /\.g(\d{16})\./;
const PAGE_NAME = /^index\/ix-(\d{6,10})\.g(\d{16})\.v4ix$/;
const PACK_NAME = /^data\/dt-(\d{6,10})\.v4dt$/;

/** The names that a generation's files get; the generation is decimal, in 16 digits. */
export function generationFiles(generation: number): GenerationFiles {
  const digits = digitsOf(generation);
  return {
    indexFile: `${INDEX_FOLDER}/ix-main.g${digits}.v4ix`,
    globalFile: `global.g${digits}.v4g`,
    playersFile: `players.g${digits}.v4p`,
  };
}

/** The generation that a path names and which of its files it is; `undefined` for any other path. */
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

/** The path of a page of an index other than its root; numbers count from 1 and have at least six digits. */
export function pageFile({ generation, number }: PageName): string {
  return `${INDEX_FOLDER}/ix-${String(number).padStart(6, "0")}.g${digitsOf(generation)}.v4ix`;
}

/** The page that a path names; `undefined` for any other path. */
export function parsePageFile(path: string): PageName | undefined {
  const [, number, generation] = PAGE_NAME.exec(path) ?? [];
  const page = { number: Number(number), generation: Number(generation) };
  const isPage = page.number >= 1 && page.number <= U32_MAX && Number.isSafeInteger(page.generation);
  return isPage && pageFile(page) === path ? page : undefined;
}

/** The path of a pack; ids count from 1 and have at least six digits. */
export function packFile(packId: number): string {
  return `${DATA_FOLDER}/dt-${String(packId).padStart(6, "0")}.v4dt`;
}

/** The id of the pack that a path names; `undefined` for any other path. */
export function parsePackFile(path: string): number | undefined {
  const id = Number(PACK_NAME.exec(path)?.[1]);
  return id >= 1 && id <= U32_MAX && packFile(id) === path ? id : undefined;
}

function digitsOf(generation: number): string {
  return String(generation).padStart(16, "0");
}
