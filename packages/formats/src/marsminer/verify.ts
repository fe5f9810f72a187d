import { isOrthantError, OrthantError } from "@orthant/core";
import { decode } from "@orthant/core/bytes";
import type { Disk } from "@orthant/disk";
import { type Finding, findingOf, isLockName, noticeOf, requireDisk } from "@orthant/disk/files";
import { likeliestDialect } from "./dialect.ts";
import { countStrings, SaveFiles } from "./files.ts";
import { type InspectedState, StateInspector } from "./inspect.ts";
import {
  blobFile,
  DEFAULT_CUBE_SIZE,
  DIALECT_TRAITS,
  MARSMINER_VERSION,
  POINTERS_FILE,
  parseBlobFile,
  pointerRecord,
  pointersHead,
  STRINGS_FILE,
  stringsHead,
} from "./layout.ts";
import { checkedMarsMinerOptions, type OpenMarsMinerOptions } from "./save.ts";

/** Blocks of one state do not overlap, so each byte is read about once. */
const BUDGET = 1;
/** Size above which a file of strings is not walked, only followed. */
const WALKED_BYTES_MAX = 67_108_864;

/**
 * Checks everything that the present state of a save consists of and reports every fault. Never writes, and
 * never throws because of a save's content. Notices are leftovers of the original or of a crash. Rule M23.
 */
export async function verifyMarsMiner(
  disk: Disk,
  options: OpenMarsMinerOptions = {},
): Promise<readonly Finding[]> {
  const findings: Finding[] = [];
  requireDisk("disk", disk);
  const { cubeSize = DEFAULT_CUBE_SIZE, dialect: given } = checkedMarsMinerOptions(options);
  const dialect = given ?? (await likeliestDialect(disk));
  let files: SaveFiles | undefined;
  try {
    files = await SaveFiles.open(disk, dialect);
    findings.push(...(await verifyState(files, cubeSize)));
    if (DIALECT_TRAITS[dialect].strings === "file") findings.push(...(await verifyStrings(files)));
    if (DIALECT_TRAITS[dialect].hasPointerFile) findings.push(...(await verifyPointers(files)));
    findings.push(...(await strangers(disk, files)));
  } catch (error) {
    if (!isOrthantError(error)) throw error;
    findings.push(findingOf(error, blobFile(0)));
  } finally {
    await files?.close();
  }
  return findings;
}

async function verifyState(files: SaveFiles, cubeSize: number): Promise<readonly Finding[]> {
  const header = await files.readHeader();
  const address = await files.resolve(header.state, 0);
  if (address === undefined) return [noticeOf(blobFile(0), "nothing was ever saved here")];
  const inspector = new StateInspector(files, cubeSize, BUDGET);
  return findingsOf(await inspector.inspect(address));
}

function findingsOf({ state, faults, remarks }: InspectedState): readonly Finding[] {
  const damage = faults.map(({ error, place }) => {
    const finding = findingOf(error, blobFile(state.address.blob));
    const where = place === undefined ? "" : `the chunk at ${place.x}, ${place.z}: `;
    return { ...finding, message: where + finding.message };
  });
  const notices = remarks.map(({ address, message }) =>
    noticeOf(blobFile(address.blob), message, address.offset),
  );
  const places = new Set(state.chunks.map(({ x, z }) => `${x},${z}`));
  const twice = state.chunks.length - places.size;
  const doubled = `${twice} places have more than one chunk; the last one counts`;
  return [...damage, ...notices, ...(twice > 0 ? [noticeOf(blobFile(state.address.blob), doubled)] : [])];
}

async function verifyStrings(files: SaveFiles): Promise<readonly Finding[]> {
  const size = await files.stringsBytes();
  const head = decode(stringsHead, await files.read(STRINGS_FILE, 0, stringsHead.bytes));
  if (head.version !== MARSMINER_VERSION) return [versionFinding(STRINGS_FILE, head.version)];
  if (size > WALKED_BYTES_MAX) return [];
  const count = countStrings(await files.read(STRINGS_FILE, 0, size));
  if (count === head.stringCount) return [];
  const found = count === undefined ? "a torn string lies among them" : `there are ${count}`;
  return [noticeOf(STRINGS_FILE, `the head counts ${head.stringCount} strings, and ${found}`)];
}

async function verifyPointers(files: SaveFiles): Promise<readonly Finding[]> {
  const size = await files.pointersBytes();
  const head = decode(pointersHead, await files.read(POINTERS_FILE, 0, pointersHead.bytes));
  if (head.version !== MARSMINER_VERSION) return [versionFinding(POINTERS_FILE, head.version)];
  const count = Math.floor((size - pointersHead.bytes) / pointerRecord.bytes);
  const findings: Finding[] = [];
  const expected = files.dialect === "draft" ? count : 0;
  if (head.pointerCount !== expected) {
    findings.push(
      noticeOf(POINTERS_FILE, `the head counts ${head.pointerCount} records, and there are ${count}`),
    );
  }
  const rest = (size - pointersHead.bytes) % pointerRecord.bytes;
  if (rest > 0) findings.push(noticeOf(POINTERS_FILE, `${rest} bytes of a torn record`, size - rest));
  return findings;
}

function versionFinding(path: string, version: number): Finding {
  return findingOf(
    new OrthantError("ORT_VERSION", `unsupported version ${version} (expected 0)`, { path, offset: 0 }),
    path,
  );
}

/** Reports files that are not part of the save, and blobs after a missing one. */
async function strangers(disk: Disk, { dialect, blobBytes }: SaveFiles): Promise<readonly Finding[]> {
  const { strings, hasPointerFile } = DIALECT_TRAITS[dialect];
  const known = new Set([
    ...(strings === "file" ? [STRINGS_FILE] : []),
    ...(hasPointerFile ? [POINTERS_FILE] : []),
  ]);
  const findings: Finding[] = [];
  for (const { name, kind } of await disk.list("")) {
    if (kind === "directory" || known.has(name) || isLockName(name)) continue;
    const blob = parseBlobFile(name);
    if (blob === undefined) findings.push(noticeOf(name, "a file that is not part of the save"));
    else if (blob >= blobBytes.length) {
      findings.push(noticeOf(name, `${blobFile(blobBytes.length)} is missing, so this one does not count`));
    }
  }
  return findings;
}
