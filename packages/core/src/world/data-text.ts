import { printable } from "../arguments/printable.ts";
import { decodeUtf8 } from "../bytes/utf8.ts";
import { decodePlainValue } from "./plain-value.ts";

/**
 * Returns the data of a voxel as text on one line, for people who inspect a world without the game's codec: JSON and text
 * as they are, other bytes in hexadecimal. Cuts it after `charsMax` characters.
 */
export function dataText(data: Uint8Array, charsMax: number): string {
  const plain = decodePlainValue(data);
  const isBytes = plain?.value instanceof Uint8Array;
  const content = plain === undefined ? data : data.subarray(1);
  const text = isBytes ? undefined : decodeUtf8(content, 0, content.length);
  const shown = printable(text?.slice(0, charsMax) ?? hexOf(content.subarray(0, Math.ceil(charsMax / 2))));
  const isCut = (text?.length ?? content.length * 2) > charsMax || shown.length > charsMax;
  return isCut ? `${shown.slice(0, charsMax)}…` : shown;
}

function hexOf(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}
