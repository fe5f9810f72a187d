import { deflateRawSync } from "node:zlib";
import { crc32 } from "@orthant/core/bytes";

const DEFLATED = 8;

/** Returns a zip archive of files by name: texts, bytes, or values that become JSON. Every second one is not compressed. */
export function zipBytes(files: Readonly<Record<string, unknown>>): Uint8Array {
  const parts: Uint8Array[] = [];
  const list: Uint8Array[] = [];
  let offset = 0;
  for (const [index, [name, value]] of Object.entries(files).entries()) {
    const content = contentOf(value);
    const method = index % 2 === 0 ? DEFLATED : 0;
    const packed = method === 0 ? content : new Uint8Array(deflateRawSync(content));
    const nameBytes = new TextEncoder().encode(name);
    // The same fields are in front of the file and in the list.
    const fields = new DataView(new ArrayBuffer(26));
    fields.setUint16(0, 20, true);
    fields.setUint16(4, method, true);
    fields.setUint32(10, crc32(content), true);
    fields.setUint32(14, packed.length, true);
    fields.setUint32(18, content.length, true);
    fields.setUint16(22, nameBytes.length, true);
    const head = new Uint8Array(fields.buffer);
    parts.push(numbers(0x0403_4b50), head, nameBytes, packed);
    const tail = new DataView(new ArrayBuffer(14));
    tail.setUint32(10, offset, true);
    list.push(numbers(0x0201_4b50), Uint8Array.of(20, 0), head, new Uint8Array(tail.buffer), nameBytes);
    offset += 4 + head.length + nameBytes.length + packed.length;
  }
  const count = Object.keys(files).length;
  const end = new DataView(new ArrayBuffer(18));
  end.setUint16(4, count, true);
  end.setUint16(6, count, true);
  end.setUint32(8, byteCount(list), true);
  end.setUint32(12, offset, true);
  return new Uint8Array(Buffer.concat([...parts, ...list, numbers(0x0605_4b50), new Uint8Array(end.buffer)]));
}

function contentOf(value: unknown): Uint8Array {
  if (value instanceof Uint8Array) return value;
  return new TextEncoder().encode(typeof value === "string" ? value : JSON.stringify(value));
}

function numbers(signature: number): Uint8Array {
  const view = new DataView(new ArrayBuffer(4));
  view.setUint32(0, signature, true);
  return new Uint8Array(view.buffer);
}

function byteCount(parts: readonly Uint8Array[]): number {
  return parts.reduce((sum, { length }) => sum + length, 0);
}
