import { isFromServer, readDatagram } from "./wire1-message.ts";

/**
 * Describes the content of a datagram in one line, such as `player 7: setTile x 5, y 5, material 8`. Accepts any
 * bytes.
 */
export function describeWire1Datagram(datagram: Uint8Array): string {
  // Only a server sends chunks, and they may be large.
  if (isFromServer(datagram)) return `chunks, ${datagram.length} bytes`;
  const read = readDatagram(datagram);
  if ("stage" in read) return `unreadable (${read.stage}): ${read.detail}`;
  if (read.kind === "control") return read.control.toUpperCase();
  if (read.kind !== "command") return read.kind;
  const { kind, ...fields } = read.command;
  const values = Object.entries(fields).map(([name, value]) => `${name} ${value}`);
  return [`player ${read.playerId}: ${kind}`, values.join(", ")].join(" ").trimEnd();
}
