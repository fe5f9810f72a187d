import { randomBytes } from "node:crypto";
import { readFile, writeFile } from "node:fs/promises";
import { systemCode } from "@orthant/disk/node";
import { UsageError } from "../usage-error.ts";

const SECRET_BYTES = 32;
/** Whoever reads the secret can let in anybody. */
const OWNER_ALONE = 0o600;
const MAKE_ONE = "orthant token --new-secret --secret-file FILE makes a new file with a good one";

/** Where a secret may be given instead of in a file. */
export const SECRET_VARIABLE = "ORTHANT_SECRET";
/** The same for the token that readers of the metrics send. */
export const METRICS_VARIABLE = "ORTHANT_METRICS_TOKEN";

/** A secret that nobody can guess, as text. */
export function newSecret(): string {
  return randomBytes(SECRET_BYTES).toString("base64url");
}

/** Makes a file with a new secret that its owner alone may read; a file that is there already is left as it is. */
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

/** The secret in a file, without the end of its line, or else in the environment; `undefined` when neither is given. */
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
