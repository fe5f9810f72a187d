import { unwatchFile, watchFile } from "node:fs";
import { readFile } from "node:fs/promises";
import { OrthantError, U64_MAX } from "@orthant/core";
import type { OrthantServer, Revocation } from "@orthant/server";
import type { Context } from "../context.ts";

/** Interval between looks at the file. */
const POLL_MS = 1_000;
const LINE = /^(?<kind>player|token)\s+(?<id>\S+)(?:\s+(?<reason>.*))?$/;
const PLAYER_ID = /^\d{1,20}$/;

/** The players and tokens that a file revokes, one a line; `ORT_ARGUMENT` names the line that says something else. */
export async function readRevokedFile(file: string): Promise<readonly Revocation[]> {
  const lines = (await readFile(file, "utf8")).split("\n");
  return lines.flatMap((line, index) => {
    const text = line.trim();
    return text === "" || text.startsWith("#") ? [] : [revocationIn(text, `line ${index + 1} of "${file}"`)];
  });
}

/** Applies the file to a server each time that it changes. Returns a function that ends it. */
export function followRevokedFile(file: string, server: OrthantServer, context: Context): () => void {
  const apply = async (): Promise<void> => {
    try {
      const revoked = await readRevokedFile(file);
      server.replaceRevoked(revoked);
      context.note(`"${file}" revokes ${revoked.length} players and tokens now`);
    } catch (error) {
      // A mistake in the list must neither stop the server nor bring back those who were revoked.
      context.warn(`what was revoked before still is: ${error instanceof Error ? error.message : error}`);
    }
  };
  const listener = (): void => void apply();
  // By polling: it works on every file system, and sees a file that another one took the place of.
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
