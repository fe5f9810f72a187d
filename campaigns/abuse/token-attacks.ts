import { createHmac } from "node:crypto";
import { encode, encodeUtf8 } from "@orthant/core/bytes";
import { TOKEN_BYTES_MAX } from "@orthant/protocol";
import { clientFrameCodec } from "@orthant/protocol/internal";
import { issueToken } from "@orthant/server";
import { type Attack, expectEqual, expectSoon } from "./attack.ts";
import { Attacker, randomId } from "./attacker.ts";
import { helloOf } from "./hostile-frames.ts";
import { AUDIENCE, SECRET } from "./target-settings.ts";

const HOUR_SECONDS = 3_600;
const FORGERIES = 21;
const EXPIRED = "an expiry in the past";
/** Two counters, the tag, the magic letters, the version, the manifest, the features and the id come before it. */
const TOKEN_OFFSET = 2 + 1 + 4 + 1 + 8 + 1 + 8;

/** Attacks with tokens that the server must not accept. */
export const TOKEN_ATTACKS: readonly Attack[] = [
  {
    name: "forged tokens",
    counted: { "goodbye credentials": FORGERIES },
    async run(target) {
      const forgeries = await forgedTokens();
      expectEqual("the number of forgeries", forgeries.length, FORGERIES);
      for (const [how, token] of forgeries) {
        const attacker = await Attacker.join(target, { token });
        await expectSoon("closing", attacker.closed);
        expectEqual(`the goodbye to ${how}`, attacker.goodbye?.reason, "credentials");
        // Only a token that this server's key signed may learn more.
        const detail = how === EXPIRED ? "the token has expired" : "these credentials are not accepted";
        expectEqual(`the goodbye to ${how}`, attacker.goodbye?.detail, detail);
      }
    },
  },
  {
    name: "a token that is too long",
    counted: { "goodbye malformed": 1 },
    async run(target) {
      const attacker = await Attacker.connect(target);
      attacker.send(tooLongToken());
      await expectSoon("closing", attacker.closed);
      expectEqual("the goodbye", attacker.goodbye?.reason, "malformed");
    },
  },
];

async function forgedTokens(): Promise<readonly (readonly [how: string, token: Uint8Array])[]> {
  const claims = { playerId: 1n, role: "admin", expiresInSeconds: HOUR_SECONDS } as const;
  const good = await issueToken(claims, { secret: SECRET, audience: AUDIENCE });
  const [head = "", body = "", signature = ""] = good.split(".");
  const nowSeconds = Math.floor(Date.now() / 1_000);
  const payload = { sub: "1", role: "admin", aud: AUDIENCE, iat: nowSeconds, exp: nowSeconds + HOUR_SECONDS };
  const { exp: _exp, ...eternal } = payload;
  const texts: readonly (readonly [how: string, token: string])[] = [
    ["no algorithm", unsigned({ alg: "none" }, payload)],
    ["no algorithm in capitals", unsigned({ alg: "NONE" }, payload)],
    ["no algorithm, old signature", `${part({ alg: "none" })}.${body}.${signature}`],
    ["another key", signed({ alg: "HS256" }, payload, "another secret, which is as long as it")],
    ["an empty key", signed({ alg: "HS256" }, payload, "")],
    ["another algorithm", signed({ alg: "HS512" }, payload, SECRET)],
    ["a key of its own", signed({ alg: "HS256", jwk: { kty: "oct", k: "QUFBQQ" } }, payload, "AAAA")],
    ["a critical header", signed({ alg: "HS256", crit: ["exp2"], exp2: 1 }, payload, SECRET)],
    [EXPIRED, signed({ alg: "HS256" }, { ...payload, exp: nowSeconds - 60 }, SECRET)],
    [
      "an expiry in the past and another key",
      signed(
        { alg: "HS256" },
        { ...payload, exp: nowSeconds - 60 },
        "another secret, which is as long as it",
      ),
    ],
    ["no expiry", signed({ alg: "HS256" }, eternal, SECRET)],
    ["an expiry that is text", signed({ alg: "HS256" }, { ...payload, exp: "never" }, SECRET)],
    ["another audience", signed({ alg: "HS256" }, { ...payload, aud: "another server" }, SECRET)],
    ["a role that does not exist", signed({ alg: "HS256" }, { ...payload, role: "god" }, SECRET)],
    ["a player below zero", signed({ alg: "HS256" }, { ...payload, sub: "-1" }, SECRET)],
    ["a player above 64 bits", signed({ alg: "HS256" }, { ...payload, sub: "18446744073709551616" }, SECRET)],
    ["a name that is too long", signed({ alg: "HS256" }, { ...payload, name: "x".repeat(65) }, SECRET)],
    ["a changed role", `${head}.${part({ ...payload, role: "admin", name: "x" })}.${signature}`],
    ["a cut signature", good.slice(0, -1)],
    [
      "a huge token",
      signed({ alg: "HS256" }, { ...payload, filler: "x".repeat(2_500) }, SECRET).slice(0, -2),
    ],
  ];
  const noise = ["noise", Uint8Array.from({ length: 64 }, (_, index) => index * 37)] as const;
  return [...texts.map(([how, token]) => [how, encodeUtf8(token)] as const), noise];
}

function part(value: object): string {
  return Buffer.from(JSON.stringify(value)).toString("base64url");
}

function unsigned(header: object, payload: object): string {
  return `${part(header)}.${part(payload)}.`;
}

function signed(header: object, payload: object, secret: string): string {
  const text = `${part(header)}.${part(payload)}`;
  return `${text}.${createHmac("sha256", secret).update(text).digest("base64url")}`;
}

/** Returns a hello that ends with a token one byte longer than allowed. */
function tooLongToken(): Uint8Array {
  const bytes = encode(clientFrameCodec, { acknowledged: 0, applied: 0, messages: [helloOf(randomId())] });
  const length = TOKEN_BYTES_MAX + 1;
  const varint = Uint8Array.of((length & 0x7f) | 0x80, length >> 7);
  return Buffer.concat([bytes.subarray(0, TOKEN_OFFSET), varint, new Uint8Array(length)]);
}
