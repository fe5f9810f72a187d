import { ByteReader, ByteWriter, deflateRaw, inflateRaw } from "@orthant/core";

const STORED = 0;
const DEFLATED = 1;
const METHODS = 2;

/** The payload of a record of version 2: what it holds, compressed where that is shorter. Rules S70 to S72. */
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
 * What a payload of version 2 holds, exactly as many bytes as it says and at most `bytesMax`, which is looked at before
 * anything is made. Gives a view when it is stored as it is.
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
