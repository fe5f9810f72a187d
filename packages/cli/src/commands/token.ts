import { randomBytes, randomInt } from "node:crypto";
import { readFile } from "node:fs/promises";
import { formatTime } from "@orthant/formats";
import type { SigningKey } from "@orthant/server";
import { type Arguments, type Command, requireOptionFiles } from "../command/command.ts";
import type { Context } from "../command/context.ts";
import { parseDuration, parseU64 } from "../command/parse.ts";
import { EXIT, UsageError } from "../command/usage.ts";
import { parseRole, ROLE_NAMES, readSecret, SECRET_VARIABLE, writeNewSecret } from "../serve/credentials.ts";

const PLAYER_ID_END = 2 ** 48 - 1;
const TOKEN_ID_BYTES = 9;

/** `orthant token`. */
export const tokenCommand: Command = {
  name: "token",
  summary: "Sign a token with which a player may join a server",
  details: `The server has to be started with the same secret, or with the public half of the key. The secret may also stand in ${SECRET_VARIABLE}.`,
  arguments: [],
  options: [
    { flags: "--secret-file <file>", description: "the secret that server and tokens share" },
    { flags: "--new-secret", description: "make that file first, with a new secret in it" },
    { flags: "--private-key <file>", description: "an Ed25519 key in PEM, instead of a secret" },
    { flags: "--player <id>", description: "who it is for (default: at random)" },
    {
      flags: "--role <role>",
      description: "what the player may do",
      default: "builder",
      choices: ROLE_NAMES,
    },
    { flags: "--name <text>", description: "what others see (default: what the client says)" },
    { flags: "--id <text>", description: "names the token, to revoke it alone (default: at random)" },
    { flags: "--expires <span>", description: "how long it is good for: 90s, 15min, 12h, 7d", default: "7d" },
    { flags: "--audience <text>", description: "the one server that it is meant for" },
  ],
  examples: [
    "orthant token --secret-file secret.txt --new-secret",
    "orthant token --secret-file secret.txt --player 7 --role admin --expires 1d",
  ],

  async run(args, context) {
    const playerId = args.parsed("player", parseU64) ?? BigInt(randomInt(1, PLAYER_ID_END));
    const role = args.parsed("role", parseRole) ?? "builder";
    const expiresInSeconds = args.parsed("expires", parseDuration) ?? 0;
    const name = args.text("name");
    await requireOptionFiles(args, ["privateKey"]);
    const key = await signingKey(args, context);
    const { issueToken } = await import("@orthant/server");
    const nowMs = context.time.nowMs();
    const tokenId = args.text("id") ?? randomBytes(TOKEN_ID_BYTES).toString("base64url");
    const token = await issueToken({ playerId, role, name, tokenId, expiresInSeconds }, key, nowMs);
    const expiresMs = nowMs + expiresInSeconds * 1000;
    context.printJson({ token, tokenId, playerId, role, name: name ?? null, expiresMs });
    context.print(token);
    context.note(`player ${playerId}, ${role}, until ${formatTime(expiresMs)}, token ${tokenId}`);
    return EXIT.ok;
  },
};

async function signingKey(args: Arguments, context: Context): Promise<SigningKey> {
  const audience = args.text("audience");
  const meant = audience === undefined ? {} : { audience };
  const file = args.text("secretFile");
  const keyFile = args.text("privateKey");
  if (keyFile !== undefined) {
    if (file !== undefined) throw new UsageError("either --secret-file or --private-key, not both");
    return { privateKey: await readFile(keyFile, "utf8"), ...meant };
  }
  if (args.has("newSecret")) {
    if (file === undefined) throw new UsageError("--new-secret needs --secret-file");
    await writeNewSecret(file);
  }
  const secret = await readSecret(file, context.variables);
  if (secret === undefined) {
    throw new UsageError(`no secret: give --secret-file, --private-key or ${SECRET_VARIABLE}`);
  }
  return { secret, ...meant };
}
