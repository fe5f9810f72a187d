import { unwatchFile, watchFile } from "node:fs";
import { readFile } from "node:fs/promises";
import { OrthantError, U64_MAX } from "@orthant/core";
import type { OrthantServer, Revocation } from "@orthant/server";
import type { Context } from "../context.ts";

/** Interval between checks of the file. */
const POLL_MS = 1_000;
const LINE = /^(?<kind>player|token)\s+(?<id>\S+)(?:\s+(?<reason>.*))?$/;
const PLAYER_ID = /^\d{1,20}$/;

/** Reads revoked players and tokens, one per line. Throws `ORT_ARGUMENT` with the line of a wrong entry. */
export async function readRevokedFile(file: string): Promise<readonly Revocation[]> {
  const lines = (await readFile(file, "utf8")).split("\n");
  return lines.flatMap((line, index) => {
    const text = line.trim();
    return text === "" || text.startsWith("#") ? [] : [revocationIn(text, `line ${index + 1} of "${file}"`)];
  });
}

/** Applies the file to a server after each change. Returns a function that stops watching. */
export function followRevokedFile(file: string, server: OrthantServer, context: Context): () => void {
  const apply = async (): Promise<void> => {
    try {
      const revoked = await readRevokedFile(file);
      server.replaceRevoked(revoked);
      context.note(`"${file}" revokes ${revoked.length} players and tokens now`);
    } catch (error) {
      // A mistake in the list must neither stop the server nor restore revoked access.
      context.warn(`what was revoked before still is: ${error instanceof Error ? error.message : error}`);
    }
  };
  const listener = (): void => void apply();
  // Polling works on every file system, and notices a replaced file.
  watchFile(file, { interval: POLL_MS, persistent: false }, listener);
  return () => unwatchFile(file, listener);
}

function revocationIn(text: string, place: string): Revocation {
  const { kind, id = "", reason } = LINE.exec(text)?.groups ?? {};
  const because = reason === undefined ? {} : { reason };
  if (kind === "token") return { tokenId: id, ...because };
  if (kind === "player" && PLAYER_ID.test(id) && BigInt(id) <= U64_MAX)
    return { playerId: BigInt(id), ...because };
  throw new OrthantError(
    "ORT_ARGUMENT",
    `${place} is neither "player ID reason" nor "token ID reason", with a decimal number for a player`,
  );
}
