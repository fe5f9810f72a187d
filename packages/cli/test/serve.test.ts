import { generateKeyPairSync } from "node:crypto";
import { cp, mkdir, open, readdir, readFile, stat, writeFile } from "node:fs/promises";
import { get } from "node:http";
import { join } from "node:path";
import { EXIT } from "@orthant/cli";
import { connectReplica } from "@orthant/client/node";
import { NodeDisk } from "@orthant/disk/node";
import { tokenVerifier } from "@orthant/server";
import { FakeTime } from "@orthant/testkit";
import { openWorldEngine } from "@orthant/world/engine";
import { describe, expect, test } from "vitest";
import { capture, captureJson, temporaryFolder } from "./captured.ts";
import { makeSampleWorld } from "./sample-world.ts";
import { whileServing } from "./while-serving.ts";

describe("serve", () => {
  test("accepts a client with its token, and saves the world when it is stopped", async () => {
    const folder = await makeSampleWorld();
    const { exitCode, errors } = await whileServing(
      [folder, "--acknowledge", "durable"],
      async (announcement) => {
        expect(announcement).toMatchObject({ role: "builder", acknowledges: "durable" });
        const { url, token, page } = announcement;
        expect(page).toBe(`${url.replace("ws:", "http:")}/#token=${token}`);
        expect(await (await fetch(page)).text()).toContain("<title>Orthant</title>");
        const player = connectReplica(url, {
          name: "Ada",
          token,
          interest: { center: [8, 100, 8, 0], radiusChunks: 1 },
        });
        await player.complete();
        expect(player.playerId).toBe(BigInt(announcement.playerId));
        expect(await player.get([0, 100, 0, 0])).toBe(11);
        expect(await player.setVoxel([8, 100, 8, 0], 13)).toMatchObject({ status: "applied" });
        await player.close();
      },
    );
    expect([exitCode, errors]).toEqual([EXIT.ok, "press Ctrl-C to stop\n"]);
    const world = await openWorldEngine(new NodeDisk(folder));
    expect(await world.get([8, 100, 8, 0])).toBe(13);
    await world.close();
  });

  test("writes a journal unless configured otherwise", async () => {
    const folder = await makeSampleWorld();
    await whileServing([folder], async () => {
      expect(await readdir(folder)).toContain("journal");
    });
    const other = await makeSampleWorld();
    await whileServing([other, "--durability", "snapshot"], async () => {
      expect(await readdir(other)).not.toContain("journal");
    });
  });

  test("rejects a world with a damaged journal, and truncates the journal on request", async () => {
    const folder = await makeSampleWorld();
    const world = await openWorldEngine(new NodeDisk(folder), { durability: "journal", autosave: false });
    for (const block of [11, 12, 13]) await world.set([0, 120, 0, 0], block);
    const broken = `${folder}-broken`;
    await cp(folder, broken, { recursive: true, filter: (path) => !path.includes("lock") });
    await world.close();
    const [name = ""] = await readdir(join(broken, "journal"));
    const segment = await open(join(broken, "journal", name), "r+");
    // In the second of three groups.
    await segment.write(Uint8Array.of(0xff, 0xff), 0, 2, 110);
    await segment.close();
    const { exitCode, errors } = await capture(["serve", broken, "--port", "0"]);
    expect([exitCode, errors]).toEqual([EXIT.failed, expect.stringContaining("[ORT_JOURNAL]")]);
    expect(errors).toContain("--damaged-journal cut");
    await whileServing([broken, "--damaged-journal", "cut"], async () => undefined);
    const cut = await openWorldEngine(new NodeDisk(broken));
    expect(await cut.get([0, 120, 0, 0])).toBe(11);
    await cut.close();
  });

  test("names the process that has the world open when it is served twice", async () => {
    const folder = await makeSampleWorld();
    await whileServing([folder], async () => {
      const { exitCode, errors } = await capture(["serve", folder, "--port", "0"]);
      expect(exitCode).toBe(EXIT.failed);
      expect(errors).toMatch(/^orthant: .*\[ORT_LOCKED\]\nhint: end that program first/);
      expect((await capture(["info", folder])).exitCode, "reading goes on").toBe(EXIT.ok);
      expect((await capture(["verify", folder])).exitCode).toBe(EXIT.ok);
    });
  });

  test.each<[what: string, options: readonly string[], message: string]>([
    ["an invalid port", ["--port", "70000"], "--port: "],
    ["half of a certificate", ["--certificate", "x.pem"], "--certificate and --key belong together"],
    ["a token that never was", ["--expires", "1y"], "--expires: "],
  ])("rejects %s and releases the world", async (_what, options, message) => {
    const folder = await makeSampleWorld();
    const { exitCode, errors } = await capture([
      "serve",
      folder,
      ...options,
      ...(options.includes("--port") ? [] : ["--port", "0"]),
    ]);
    expect(exitCode).toBe(EXIT.usage);
    expect(errors).toContain(message);
    expect((await readdir(folder)).filter((name) => name.includes("lock"))).toEqual([]);
  });

  test("keeps out the players and tokens that a file revokes, even when the file changes", async () => {
    const folder = await makeSampleWorld();
    const file = `${folder}.revoked`;
    await writeFile(file, "# none yet\n\n");
    let warn: () => void = () => undefined;
    const warned = new Promise<void>((resolve) => {
      warn = resolve;
    });
    const { errors } = await whileServing(
      [folder, "--revoked", file, "--quiet"],
      async ({ url, token, playerId }) => {
        const player = connectReplica(url, { token });
        await player.ready;
        const ended = new Promise<string | undefined>((resolve) => {
          player.onStatus((status, { error }) => status === "closed" && resolve(error?.message));
        });
        await writeFile(file, `player ${playerId} griefing at the spawn\ntoken abc\n`);
        expect(await ended).toContain("disconnected this player: you may not join: griefing at the spawn");
        const again = connectReplica(url, { token });
        await expect(again.ready).rejects.toThrow("griefing at the spawn");
        await writeFile(file, "players 7 who is that\n");
        await warned;
        const still = connectReplica(url, { token });
        await expect(still.ready).rejects.toThrow("griefing at the spawn");
      },
      { onErrors: () => warn() },
    );
    expect(errors, "also with --quiet").toMatch(/^warning: what was revoked before still is: /);
    expect(errors).toContain(`line 1 of "${file}" is neither`);
  });

  test.each([
    ["player ada", "a name instead of a number"],
    ["player 18446744073709551616", "a player id above 64 bits"],
    ["ban 7", "another word"],
    ["token", "no id"],
  ])("does not start with a list of revoked players that says %s: %s", async (line) => {
    const folder = await makeSampleWorld();
    await writeFile(`${folder}.revoked`, `player 7\n${line}\n`);
    const { exitCode, errors } = await capture([
      "serve",
      folder,
      "--port",
      "0",
      "--revoked",
      `${folder}.revoked`,
    ]);
    expect(exitCode).toBe(EXIT.usage);
    expect(errors).toContain("line 2 of ");
  });

  test("serves metrics to this machine, to clients with a token, or to every client, by its options", async () => {
    const folder = await makeSampleWorld();
    const token = "0123456789abcdef0123456789abcdef";
    const statusOf = async (url: string, headers: Record<string, string> = {}): Promise<number> =>
      (await fetch(`${url.replace("ws:", "http:")}/metrics`, { headers })).status;
    const proxied = { "X-Forwarded-For": "203.0.113.9" };
    await whileServing([folder], async ({ url }) => {
      expect([await statusOf(url), await statusOf(url, proxied)]).toEqual([200, 403]);
    });
    await whileServing([folder, "--public-metrics"], async ({ url }) => {
      expect(await statusOf(url, proxied)).toBe(200);
    });
    const authorization = `Bearer ${token}`;
    const withToken = async ({ url }: { readonly url: string }): Promise<void> => {
      expect([await statusOf(url), await statusOf(url, { ...proxied, authorization })]).toEqual([401, 200]);
    };
    await whileServing([folder], withToken, { environment: { ORTHANT_METRICS_TOKEN: token } });
    await writeFile(`${folder}.metrics`, `${token}\n`);
    const both = [folder, "--metrics-token-file", `${folder}.metrics`];
    await whileServing(both, withToken);
    const { exitCode, errors } = await capture(["serve", ...both, "--port", "0", "--public-metrics"]);
    expect([exitCode, errors]).toEqual([EXIT.usage, expect.stringContaining("not both")]);
  });

  test("answers only to the host names of its options", async () => {
    const folder = await makeSampleWorld();
    await whileServing([folder, "--host-name", "play.example.org"], async ({ url }) => {
      const { port } = new URL(url);
      const statusFor = (host: string): Promise<number | undefined> =>
        new Promise((resolve, reject) => {
          const request = get({ host: "127.0.0.1", port, headers: { host } }, (response) => {
            response.resume();
            resolve(response.statusCode);
          });
          request.on("error", reject);
        });
      expect([await statusFor("play.example.org"), await statusFor("evil.example")]).toEqual([200, 421]);
    });
    const wrong = ["serve", folder, "--port", "0", "--host-name", "https://play.example.org"];
    const { exitCode, errors } = await capture(wrong);
    expect([exitCode, errors]).toEqual([EXIT.usage, expect.stringContaining("without a scheme and a port")]);
  });

  test("rejects a secret that could be guessed", async () => {
    const folder = await makeSampleWorld();
    await writeFile(`${folder}.secret`, "1234\n");
    const { exitCode, errors } = await capture([
      "serve",
      folder,
      "--port",
      "0",
      "--secret-file",
      `${folder}.secret`,
    ]);
    expect(exitCode).toBe(EXIT.usage);
    expect(errors).toContain("is too short, so it could be guessed");
  });
});

describe("token", () => {
  const NOW_MS = 1_700_000_000_000;

  test("is signed with the secret in a file, which the command can create", async () => {
    const file = join(await temporaryFolder(), "secret.txt");
    const line = [
      "token",
      "--secret-file",
      file,
      "--player",
      "7",
      "--role",
      "admin",
      "--name",
      "Ada",
      "--json",
    ];
    const time = new FakeTime(NOW_MS);
    const { output } = await capture([...line, "--new-secret", "--expires", "15min"], { time });
    const { token, tokenId, expiresMs } = JSON.parse(output) as {
      readonly token: string;
      readonly tokenId: string;
      readonly expiresMs: number;
    };
    expect(tokenId).toMatch(/^[\w-]{12}$/);
    expect(expiresMs).toBe(NOW_MS + 900_000);
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    const secret = (await readFile(file, "utf8")).trim();
    expect(secret.length).toBeGreaterThanOrEqual(43);
    const verify = tokenVerifier({ secret }, () => NOW_MS);
    expect(await verify(new TextEncoder().encode(token))).toEqual({
      playerId: 7n,
      role: "admin",
      name: "Ada",
      tokenId,
      expiresMs: expiresMs + 5_000,
    });
    const again = await capture([...line, "--new-secret"]);
    expect(again.exitCode).toBe(EXIT.usage);
    expect((await readFile(file, "utf8")).trim(), "the secret is still the same").toBe(secret);
  });

  test("is signed with the secret of the environment, or with a private key", async () => {
    const secret = "a secret of more than thirty-two letters";
    const environment = { ORTHANT_SECRET: secret };
    const fromEnvironment = await capture(["token", "--player", "1"], { environment });
    const token = new TextEncoder().encode(fromEnvironment.output.trim());
    expect(await tokenVerifier({ secret })(token)).toMatchObject({ playerId: 1n, role: "builder" });

    const { publicKey, privateKey } = generateKeyPairSync("ed25519");
    const file = join(await temporaryFolder(), "key.pem");
    await writeFile(file, privateKey.export({ type: "pkcs8", format: "pem" }));
    const signed = await captureJson<{ readonly token: string }>(
      "token",
      "--private-key",
      file,
      "--player",
      "2",
    );
    const verify = tokenVerifier({ publicKey });
    expect(await verify(new TextEncoder().encode(signed.token))).toMatchObject({ playerId: 2n });
  });

  test("needs exactly one secret", async () => {
    expect((await capture(["token"])).exitCode).toBe(EXIT.usage);
    expect((await capture(["token", "--new-secret"])).exitCode).toBe(EXIT.usage);
    expect((await capture(["token", "--secret-file", "a", "--private-key", "b"])).exitCode).toBe(EXIT.usage);
    const { exitCode, errors } = await capture([
      "token",
      "--secret-file",
      join(await temporaryFolder(), "none"),
    ]);
    expect(exitCode).toBe(EXIT.usage);
    expect(errors).toMatch(/^orthant: there is no file .* with a secret; orthant token --new-secret/);
  });
});

describe("bench", () => {
  test("measures and leaves nothing behind", async () => {
    const folder = await temporaryFolder();
    const measured = await captureJson<Record<string, Record<string, number>>>("bench", folder);
    expect(measured["appendAndSync"]?.["medianMs"]).toBeGreaterThan(0);
    expect(measured["commit"]?.["medianMs"]).toBeGreaterThan(0);
    expect(measured["writeBytesPerSecond"]).toBeGreaterThan(0);
    expect(await readdir(folder)).toEqual([]);
  });

  test("leaves nothing behind when it is interrupted", async () => {
    const folder = await temporaryFolder();
    await mkdir(join(folder, "disk"));
    const { exitCode } = await capture(["bench", join(folder, "disk")], { signal: AbortSignal.abort() });
    expect(exitCode).toBe(EXIT.failed);
    expect(await readdir(join(folder, "disk"))).toEqual([]);
  });
});
