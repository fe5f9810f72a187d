import { OrthantError } from "../error/orthant-error.ts";

/** Throws on a big-endian machine: bulk arrays are copied in memory order. */
export function requireLittleEndian(): void {
  if (new Uint8Array(new Uint16Array([1]).buffer)[0] === 1) return;
  throw new OrthantError(
    "ORT_PLATFORM",
    "Orthant runs on little-endian machines, and this one is big-endian",
  );
}
