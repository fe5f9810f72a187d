import { randomBytes } from "node:crypto";
import { readFile, writeFile } from "node:fs/promises";
import { systemCode } from "@orthant/disk/node";
import type { TokenClaims } from "@orthant/server";
import { UsageError } from "../command/usage.ts";

/** What a player may do. */
type Role = TokenClaims["role"];

/** All roles, starting with the fewest rights. */
export const ROLE_NAMES: readonly Role[] = ["viewer", "builder", "admin"];

/** Parses the name of a role. */
export function parseRole(text: string): Role {
  const role = ROLE_NAMES.find((known) => known === text);
  if (role === undefined) throw new UsageError(`"${text}" is not one of ${ROLE_NAMES.join(", ")}`);
  return role;
}

const SECRET_BYTES = 32;
/** A leaked secret allows anyone to sign tokens. */
const OWNER_ALONE = 0o600;
const MAKE_ONE = "orthant token --new-secret --secret-file FILE makes a new file with a good one";

/** Environment variable for the secret, as an alternative to a file. */
export const SECRET_VARIABLE = "ORTHANT_SECRET";
/** Environment variable for the bearer token of the metrics. */
export const METRICS_VARIABLE = "ORTHANT_METRICS_TOKEN";

/** Returns a random secret as text. */
export function newSecret(): string {
  return randomBytes(SECRET_BYTES).toString("base64url");
}

/** Creates a file with a new secret that only its owner may read. Never overwrites a file. */
export async function writeNewSecret(file: string): Promise<void> {
  try {
    await writeFile(file, `${newSecret()}\n`, { flag: "wx", mode: OWNER_ALONE });
  } catch (error) {
    if (systemCode(error) === "EEXIST") {
      throw new UsageError(`${file} is there already; leave out --new-secret to use it`);
    }
    throw error;
  }
}

/** Reads the secret from a file, without its line end, or from the environment; `undefined` if neither. */
export async function readSecret(
  file: string | undefined,
  environment: Readonly<Record<string, string | undefined>>,
  variable: string = SECRET_VARIABLE,
): Promise<string | undefined> {
  if (file === undefined) return environment[variable];
  const secret = (await readNamed(file)).trim();
  if (Buffer.byteLength(secret) >= SECRET_BYTES) return secret;
  throw new UsageError(`the secret in "${file}" is too short, so it could be guessed; ${MAKE_ONE}`);
}

async function readNamed(file: string): Promise<string> {
  try {
    return await readFile(file, "utf8");
  } catch (error) {
    const code = systemCode(error);
    if (code === "ENOENT") throw new UsageError(`there is no file "${file}" with a secret; ${MAKE_ONE}`);
    if (code === "EISDIR")
      throw new UsageError(`"${file}" is a folder, where the file of a secret is wanted`);
    throw error;
  }
}
