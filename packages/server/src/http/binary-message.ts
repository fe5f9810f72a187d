const BINARY_WHOLE = 0x82;
const LENGTH_IN_U16 = 126;
const SHORT_BYTES_MAX = 125;

/** Payloads up to this size are copied behind their header: one buffer is cheaper to send than two. */
export const JOINED_BYTES_MAX = 4_000;

/**
 * Returns a payload of at most {@link JOINED_BYTES_MAX} bytes as a binary WebSocket message from a server, in one buffer.
 * See RFC 6455, section 5.2.
 */
export function binaryMessage(payload: Uint8Array): Buffer {
  const { length } = payload;
  const headBytes = length <= SHORT_BYTES_MAX ? 2 : 4;
  // A part of a buffer that Node.js shares among small ones.
  const message = Buffer.allocUnsafe(headBytes + length);
  message[0] = BINARY_WHOLE;
  if (headBytes === 2) message[1] = length;
  else {
    message[1] = LENGTH_IN_U16;
    message.writeUInt16BE(length, 2);
  }
  message.set(payload, headBytes);
  return message;
}
