import { OrthantError } from "../error/orthant-error.ts";

/** Refuses to run on a big-endian machine: bulk arrays are copied as they lie in memory. */
export function requireLittleEndian(): void {
  if (new Uint8Array(new Uint16Array([1]).buffer)[0] === 1) return;
  throw new OrthantError(
    "ORT_PLATFORM",
    "Orthant runs on little-endian machines, and this one is big-endian",
  );
}
