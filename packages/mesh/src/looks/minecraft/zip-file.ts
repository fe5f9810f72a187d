import { OrthantError } from "@orthant/core";
import { crc32, decodeUtf8, inflateRaw } from "@orthant/core/bytes";

const [END_SIGNATURE, ENTRY_SIGNATURE, FILE_SIGNATURE] = [0x0605_4b50, 0x0201_4b50, 0x0403_4b50];
const [END_BYTES, ENTRY_BYTES, FILE_BYTES] = [22, 46, 30];
const COMMENT_BYTES_MAX = 65_535;
const [STORED, DEFLATED] = [0, 8];
const ENCRYPTED = 1;
/** Bytes that come out of all files of an archive together. */
const TOTAL_BYTES_MAX = 134_217_728;

interface ZipEntry {
  readonly method: number;
  readonly isEncrypted: boolean;
  readonly checksum: number;
  readonly packedBytes: number;
  readonly bytes: number;
  readonly offset: number;
}

/** The files of a zip archive in memory, read one by one. */
export class ZipFile {
  readonly #bytes: Uint8Array;
  readonly #view: DataView;
  readonly #entries: ReadonlyMap<string, ZipEntry>;
  #bytesLeft = TOTAL_BYTES_MAX;

  /** Reads the list of files, of which it keeps those whose names are accepted. Throws `ORT_FOREIGN` without one. */
  constructor(bytes: Uint8Array, accepts: (name: string) => boolean) {
    this.#bytes = bytes;
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
    this.#entries = this.#readEntries(accepts);
  }

  /** The names of all files. */
  get names(): Iterable<string> {
    return this.#entries.keys();
  }

  /** Returns the content of a file, or `undefined`. Throws `ORT_LIMIT` if it has more than `bytesMax` bytes. */
  async read(name: string, bytesMax: number): Promise<Uint8Array | undefined> {
    const entry = this.#entries.get(name);
    if (entry === undefined) return undefined;
    const { method, isEncrypted, checksum, packedBytes, bytes, offset } = entry;
    const fail = (detail: string): OrthantError =>
      new OrthantError("ORT_FOREIGN", detail, { path: name, offset });
    if (bytes > bytesMax || bytes > this.#bytesLeft) {
      const max = Math.min(bytesMax, this.#bytesLeft);
      throw new OrthantError("ORT_LIMIT", `${bytes} bytes exceed the limit of ${max}`, { path: name });
    }
    if (isEncrypted) throw fail("the file is encrypted");
    const { start, end } = this.#placeOf(offset, packedBytes);
    if (end > this.#bytes.length || this.#view.getUint32(offset, true) !== FILE_SIGNATURE)
      throw fail("the archive has no file where its list says");
    const packed = this.#bytes.subarray(start, end);
    if (method !== STORED && method !== DEFLATED) throw fail(`the file is compressed by method ${method}`);
    if (method === STORED && packedBytes !== bytes) throw fail(`${packedBytes} bytes in place of ${bytes}`);
    this.#bytesLeft -= bytes;
    const content = method === STORED ? packed : await inflateRaw(packed, bytes);
    if (crc32(content) !== checksum)
      throw new OrthantError("ORT_CHECKSUM", "the file is damaged", { path: name, offset });
    return content;
  }

  #placeOf(offset: number, packedBytes: number): { readonly start: number; readonly end: number } {
    if (offset + FILE_BYTES > this.#bytes.length) return { start: 0, end: Number.POSITIVE_INFINITY };
    const [name, extra] = [this.#view.getUint16(offset + 26, true), this.#view.getUint16(offset + 28, true)];
    const start = offset + FILE_BYTES + name + extra;
    return { start, end: start + packedBytes };
  }

  #readEntries(accepts: (name: string) => boolean): ReadonlyMap<string, ZipEntry> {
    const end = this.#findEnd();
    const view = this.#view;
    const count = view.getUint16(end + 10, true);
    let offset = view.getUint32(end + 16, true);
    if (count === 0xffff || offset === 0xffff_ffff) throw notZip("archives of 64 bits are not read", end);
    const entries = new Map<string, ZipEntry>();
    for (let index = 0; index < count; index++) {
      if (offset + ENTRY_BYTES > end || view.getUint32(offset, true) !== ENTRY_SIGNATURE)
        throw notZip(`file ${index} of ${count} is not in its list`, offset);
      const nameBytes = view.getUint16(offset + 28, true);
      const nameStart = offset + ENTRY_BYTES;
      const next =
        nameStart + nameBytes + view.getUint16(offset + 30, true) + view.getUint16(offset + 32, true);
      if (next > end) throw notZip(`file ${index} reaches beyond the list`, offset);
      const name = decodeUtf8(this.#bytes, nameStart, nameBytes);
      if (name !== undefined && accepts(name)) {
        entries.set(name, {
          method: view.getUint16(offset + 10, true),
          isEncrypted: (view.getUint16(offset + 8, true) & ENCRYPTED) !== 0,
          checksum: view.getUint32(offset + 16, true),
          packedBytes: view.getUint32(offset + 20, true),
          bytes: view.getUint32(offset + 24, true),
          offset: view.getUint32(offset + 42, true),
        });
      }
      offset = next;
    }
    return entries;
  }

  /** The end of an archive comes last, before a comment. */
  #findEnd(): number {
    const last = this.#bytes.length - END_BYTES;
    for (let at = last; at >= Math.max(0, last - COMMENT_BYTES_MAX); at--) {
      if (this.#view.getUint32(at, true) === END_SIGNATURE) return at;
    }
    throw notZip("its list of files is missing", undefined);
  }
}

function notZip(detail: string, offset: number | undefined): OrthantError {
  return new OrthantError(
    "ORT_FOREIGN",
    `not a zip archive, or a damaged one: ${detail}`,
    offset === undefined ? {} : { offset },
  );
}
