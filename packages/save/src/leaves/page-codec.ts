import { type Box, isOrthantError, OrthantError } from "@orthant/core";
import { ByteReader, ByteWriter, crc32 } from "@orthant/core/bytes";
import { boxContainsBox, boxEquals, comparePositions, WHOLE_LATTICE } from "@orthant/core/lattice";
import { atFile, decodeAt } from "@orthant/disk/files";
import { type PageHeader, pageHeader } from "../codec/layout.ts";
import { alignedCubeAt, describeCube, LATTICE_LEVEL, requireLevel } from "./cube.ts";
import {
  findLeafFault,
  type IndexTotals,
  isPageVersion,
  type LeafEntry,
  type PageVersion,
  sumTotals,
  totalsOfLeaf,
} from "./leaf-entry.ts";
import {
  entriesOf,
  IndexPage,
  isBranch,
  isPage,
  type PageLink,
  type TrieBranch,
  type TrieNode,
  trieOf,
} from "./leaf-trie.ts";
import { PageEntryReader, PageEntryWriter } from "./page-entries.ts";

type Node = TrieNode<LeafEntry>;
type Entry = LeafEntry | IndexPage<LeafEntry>;

/** Identity of a page. */
export interface PageId {
  readonly generation: number;
  /** 0 for the root. */
  readonly number: number;
}

/** Content of a root. */
interface RootPage {
  readonly version: PageVersion;
  readonly generation: number;
  readonly root: Node | undefined;
  readonly totals: IndexTotals;
}

/**
 * Encodes a page with the leaves and links of a part of an index. The root's cube is the whole lattice, any
 * other page's that of its branch. Pages in the part must already be written.
 */
export function encodePage(
  { generation, number }: PageId,
  part: Node | undefined,
  version: PageVersion,
): Uint8Array {
  const entries = [...entriesOf(part)].sort((a, b) => comparePositions(a.cube.min, b.cube.min));
  const cube = number === 0 ? WHOLE_LATTICE : (part as TrieBranch<LeafEntry>).cube;
  const leaves = entries.filter((entry): entry is LeafEntry => !isPage(entry));
  const fault = findLeafFault(leaves);
  if (fault !== undefined) throw new OrthantError("ORT_ARGUMENT", fault);
  const body = new ByteWriter();
  const writer = new PageEntryWriter(body, generation, cube.min, version);
  for (const entry of entries) {
    if (isPage(entry)) writer.link(entry.link as PageLink);
    else writer.leaf(entry);
  }
  const out = new ByteWriter(pageHeader.bytes + body.length);
  pageHeader.write(out, {
    magic: "V4IX",
    version,
    generation,
    number,
    level: requireLevel(cube),
    min: cube.min,
    leafCount: leaves.length,
    linkCount: entries.length - leaves.length,
    bodyCrc32: crc32(body.view()),
  });
  out.raw(body.view());
  return out.copy();
}

/** Returns the link to an encoded page. */
export function linkOf(
  { generation, number }: PageId,
  part: TrieBranch<LeafEntry>,
  bytes: Uint8Array,
): PageLink {
  return {
    cube: part.cube,
    generation,
    number,
    bytes: bytes.length,
    crc32: crc32(bytes),
    height: heightOf(part),
    totals: totalsOfPart(part),
  };
}

/** Returns the totals of all leaves of a part. Pages in it must already be written. */
export function totalsOfPart(part: Node | undefined): IndexTotals {
  return sumTotals(
    [...entriesOf(part)].map((entry) =>
      isPage(entry) ? (entry.link as PageLink).totals : totalsOfLeaf(entry),
    ),
  );
}

/** Decodes the root of an index of version 3 or 4. Rules S53 to S60. */
export function decodeRoot(path: string, bytes: Uint8Array): RootPage {
  const header = readHeader(path, bytes);
  if (header.number !== 0) throw misfit(path, `page ${header.number} where the root should be`);
  const root = readBody(path, bytes, header);
  const totals = totalsOfPart(root);
  if (!Object.values(totals).every(Number.isSafeInteger)) throw misfit(path, "it says to hold too much");
  return { version: header.version, generation: header.generation, root, totals };
}

/** Decodes a page and checks that it is the one a link means. Rules S53 to S60. */
export function decodeLinked(path: string, bytes: Uint8Array, link: PageLink): TrieBranch<LeafEntry> {
  if (bytes.length !== link.bytes || crc32(bytes) !== link.crc32) {
    const detail = `the page with the leaves at ${describeCube(link.cube)} is damaged`;
    throw new OrthantError("ORT_CHECKSUM", detail, { path });
  }
  const header = readHeader(path, bytes);
  if (header.generation !== link.generation || header.number !== link.number) {
    throw misfit(path, `it is page ${header.number} of generation ${header.generation}`);
  }
  const part = readBody(path, bytes, header);
  if (!isBranch(part)) throw misfit(path, "it has less than two entries");
  if (!boxEquals(part.cube, link.cube))
    throw misfit(path, `it is of the leaves at ${describeCube(part.cube)}`);
  if (heightOf(part) !== link.height)
    throw misfit(path, `it has height ${heightOf(part)}, not ${link.height}`);
  const totals = totalsOfPart(part);
  const isSame = Object.entries(totals).every(
    ([name, sum]) => link.totals[name as keyof IndexTotals] === sum,
  );
  if (!isSame) throw misfit(path, "its leaves hold other than its link says");
  return part;
}

/** The header of a page whose version is known. */
interface KnownHeader extends PageHeader {
  readonly version: PageVersion;
}

function readHeader(path: string, bytes: Uint8Array): KnownHeader {
  const header = decodeAt({ path }, pageHeader, bytes.subarray(0, pageHeader.bytes));
  const { version } = header;
  if (!isPageVersion(version)) {
    const context = { path, offset: pageHeader.offsets.version };
    throw new OrthantError("ORT_VERSION", `unsupported page version ${version} (expected 3 or 4)`, context);
  }
  const body = bytes.subarray(pageHeader.bytes);
  if (crc32(body) !== header.bodyCrc32) {
    throw new OrthantError("ORT_CHECKSUM", "the page is damaged", { path, offset: pageHeader.bytes });
  }
  return { ...header, version };
}

function readBody(path: string, bytes: Uint8Array, header: KnownHeader): Node | undefined {
  const { number, level, min } = header;
  const isAligned = level <= LATTICE_LEVEL && comparePositions(alignedCubeAt(min, level).min, min) === 0;
  if (!isAligned || (number === 0 && level !== LATTICE_LEVEL)) {
    throw misfit(path, `[${min}] and level ${level} are not a cube for it`, pageHeader.offsets.level);
  }
  return atFile({ path }, () => {
    const cube = alignedCubeAt(min, level);
    const entries = readEntries(bytes, header);
    const outside = entries.find((entry) => !boxContainsBox(cube, entry.cube));
    if (outside !== undefined) throw wrong(`the entry at ${describeCube(outside.cube)} is not in the page`);
    const part = trieOfDisjoint(entries);
    // So a page is as small as its leaves allow, and a path of links is never longer than necessary.
    if (number !== 0 && (part === undefined || !boxEquals(part.cube, cube))) {
      throw wrong("its cube is not the least one around its entries");
    }
    return part;
  });
}

function readEntries(
  bytes: Uint8Array,
  { version, generation, min, leafCount, linkCount }: KnownHeader,
): readonly Entry[] {
  const input = new ByteReader(bytes.subarray(pageHeader.bytes), { origin: pageHeader.bytes });
  const reader = new PageEntryReader(input, generation, min, version);
  const entries: Entry[] = [];
  const leaves: LeafEntry[] = [];
  let before: Box | undefined;
  while (input.remaining > 0) {
    const { leaf, link } = reader.next();
    const entry: Entry = link === undefined ? leaf : new IndexPage<LeafEntry>({ link });
    if (before !== undefined && comparePositions(before.min, entry.cube.min) >= 0) {
      throw input.fail("ORT_INDEX", `the entry at ${describeCube(entry.cube)} is out of order`);
    }
    before = entry.cube;
    entries.push(entry);
    if (leaf !== undefined) leaves.push(leaf);
  }
  if (leaves.length !== leafCount || entries.length - leaves.length !== linkCount) {
    const found = `${leaves.length} leaves and ${entries.length - leaves.length} links`;
    const offset = pageHeader.offsets.leafCount;
    throw new OrthantError("ORT_INDEX", `${found}, not ${leafCount} and ${linkCount}`, { offset });
  }
  const fault = findLeafFault(leaves);
  if (fault !== undefined) throw wrong(fault);
  return entries;
}

function trieOfDisjoint(entries: readonly Entry[]): Node | undefined {
  try {
    return trieOf<LeafEntry>(entries);
  } catch (error) {
    if (!isOrthantError(error, "ORT_ARGUMENT")) throw error;
    throw new OrthantError("ORT_INDEX", error.detail, {}, { cause: error });
  }
}

/** Returns the maximum number of links below a page on one path; 0 for a page with only leaves. */
function heightOf(part: Node): number {
  let height = 0;
  for (const entry of entriesOf(part)) {
    if (isPage(entry)) height = Math.max(height, (entry.link as PageLink).height + 1);
  }
  return height;
}

function misfit(path: string, detail: string, offset?: number): OrthantError {
  return new OrthantError("ORT_INDEX", detail, offset === undefined ? { path } : { path, offset });
}

function wrong(detail: string): OrthantError {
  return new OrthantError("ORT_INDEX", detail);
}
