import { ByteReader, ByteWriter, deflateRaw, inflateRaw } from "@orthant/core";

const STORED = 0;
const DEFLATED = 1;
const METHODS = 2;

/**
 * Encodes the payload of a version 2 record: its content, compressed where that is shorter. Rules S70 to S72.
 */
export async function sealBlob(inner: Uint8Array): Promise<Uint8Array> {
  const deflated = await deflateRaw(inner);
  const isShorter = deflated.length < inner.length;
  const out = new ByteWriter();
  out.tag(isShorter ? DEFLATED : STORED, METHODS);
  out.varUint(inner.length);
  out.raw(isShorter ? deflated : inner);
  return out.copy();
}

/**
 * Returns the content of a version 2 payload: exactly the declared number of bytes, and at most `bytesMax`,
 * which is checked before allocating. Returns a view when the content is not compressed.
 */
export function openBlob(
  payload: Uint8Array,
  bytesMax: number,
  origin = 0,
): Uint8Array | Promise<Uint8Array> {
  const input = new ByteReader(payload, { origin });
  const method = input.tag(METHODS);
  const innerBytes = input.varUint();
  if (innerBytes > bytesMax) {
    throw input.fail("ORT_LIMIT", `a blob of ${innerBytes} bytes where at most ${bytesMax} may be`);
  }
  if (method === STORED) {
    const inner = input.view(innerBytes);
    input.end();
    return inner;
  }
  if (input.remaining >= innerBytes) {
    throw input.fail("ORT_BLOB", `${innerBytes} bytes compressed to ${input.remaining}`);
  }
  return inflateRaw(input.view(input.remaining), innerBytes);
}
