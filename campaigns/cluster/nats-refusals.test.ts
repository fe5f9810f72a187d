import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { jetstreamManager } from "@nats-io/jetstream";
import { connect } from "@nats-io/transport-node";
import { connectNats, type NatsBackboneOptions } from "@orthant/cluster/nats";
import { codeOfRejection } from "@orthant/testkit";
import { NatsCluster, type NatsConfiguration, TEST_CREDENTIALS } from "@orthant/testkit/nats";
import { describe, expect, test, vi } from "vitest";
import { selfSigned } from "./self-signed.ts";

const START_MS = 120_000;
const PATIENCE_MS = 20_000;

describe("checks of the NATS servers", () => {
  test.each<[what: string, settings: Partial<NatsConfiguration>, remedy: RegExp]>([
    ["acknowledge before they sync", { syncInterval: "2m" }, /n0 acknowledges .* sync_interval: always/],
    [
      "take too little at once",
      { maxPayload: "1500KB" },
      /takes messages of 1536000 bytes.* max_payload: 2MB/,
    ],
    ["do not say how they are set", { importsSettings: false }, /orthant\.jsz.*PING\.JSZ.*imports/],
  ])(
    "reject servers that %s, and say what to change",
    async (_what, settings, remedy) => {
      await withServer(settings, async ({ urls }) => {
        const attempt = (): Promise<unknown> => connectNats(optionsFor(urls));
        expect(await codeOfRejection(attempt)).toBe("ORT_BACKBONE_UNFIT");
        await expect(attempt()).rejects.toThrow(remedy);
      });
    },
    START_MS,
  );

  test("reject a server that is too old", async () => {
    const old = createServer((socket) => {
      const info = {
        server_id: "old",
        version: "2.9.10",
        proto: 1,
        max_payload: 1048576,
        headers: true,
        jetstream: true,
      };
      socket.write(`INFO ${JSON.stringify(info)}\r\n`);
      socket.on("data", (bytes) => bytes.includes("PING") && socket.write("PONG\r\n"));
      socket.on("error", () => undefined);
    });
    old.listen(0, "127.0.0.1");
    await once(old, "listening");
    const address = old.address();
    const port = typeof address === "object" ? address?.port : 0;
    await expect(connectNats(optionsFor([`127.0.0.1:${port}`]))).rejects.toThrow(
      /ORT_BACKBONE_UNFIT: .*2\.9\.10.*2\.12/,
    );
    old.close();
  });

  test(
    "reject a stream with other settings",
    async () => {
      await withServer({}, async (cluster) => {
        const { user, password: pass } = TEST_CREDENTIALS;
        const connection = await connect({ servers: [...cluster.urls], user, pass });
        const { streams } = await jetstreamManager(connection);
        await streams.add({ name: "J_w_1", subjects: ["j.w.1.>"] });
        const backbone = await cluster.connect();
        const wrong =
          /ORT_BACKBONE_UNFIT: .*J_w_1.*allow_atomic is not set and has to be true.*nats stream edit J_w_1/;
        await expect(backbone.journal("w", "1")).rejects.toThrow(wrong);
        await expect(backbone.findJournal("w", "1")).rejects.toThrow(wrong);
        await Promise.all([backbone.close(), connection.close()]);
      });
    },
    START_MS,
  );
});

describe("connectNats", () => {
  test(
    "accepts the right password, and rejects another one or none",
    async () => {
      await withServer({}, async ({ urls }) => {
        const backbone = await connectNats(optionsFor(urls));
        await backbone.close();
        const wrong = { user: "orthant", password: "guessed" };
        const guess = connectNats({ ...optionsFor(urls), credentials: wrong });
        expect(await codeOfRejection(guess)).toBe("ORT_CREDENTIALS");
        expect(await codeOfRejection(connectNats({ servers: urls, replicas: 1 }))).toBe("ORT_CREDENTIALS");
      });
    },
    START_MS,
  );

  test(
    "connects over TLS with the right certificate authority, and fails without it",
    async () => {
      const folder = mkdtempSync(join(tmpdir(), "orthant-nats-tls-"));
      const tls = selfSigned(folder);
      await withServer({ tls }, async ({ urls }) => {
        const backbone = await connectNats({ ...optionsFor(urls), tls: { caFile: tls.certFile } });
        expect(await backbone.table.put("key", new Uint8Array([1]))).toBeGreaterThan(0);
        await backbone.close();
        await expect(connectNats(optionsFor(urls))).rejects.toThrow(
          /^ORT_BACKBONE_UNFIT: the certificate of NATS at .* cannot be verified.*--nats-ca/,
        );
      });
      rmSync(folder, { recursive: true });
    },
    START_MS,
  );

  test(
    "[K35] creates a lost table without reusing revisions, and earlier connections see the new one",
    async () => {
      await withServer({}, async ({ urls }) => {
        const before = await connectNats(optionsFor(urls));
        const seen: string[] = [];
        await before.table.watch("map.", ({ value }) => seen.push(Buffer.from(value ?? []).toString()));
        const revision = await before.table.put("map.town", Buffer.from("old"));
        const connection = await connect({
          servers: [...urls],
          user: TEST_CREDENTIALS.user,
          pass: TEST_CREDENTIALS.password,
        });
        await (await jetstreamManager(connection)).streams.delete("KV_orthant");
        await connection.close();
        const after = await connectNats(optionsFor(urls));
        expect(await after.table.swap("map.town", Buffer.from("new"), 0)).toBeGreaterThan(revision);
        expect(await before.table.swap("map.town", Buffer.from("late"), revision)).toBeUndefined();
        await vi.waitFor(() => expect(seen).toEqual(["old", "new"]), PATIENCE_MS);
        await Promise.all([before.close(), after.close()]);
      });
    },
    START_MS,
  );

  test("throws ORT_BACKBONE_AWAY if no server answers", async () => {
    const away = { ...optionsFor(["nats://127.0.0.1:9"]), timeoutMilliseconds: 500 };
    expect(await codeOfRejection(connectNats(away))).toBe("ORT_BACKBONE_AWAY");
  });
});

function optionsFor(servers: readonly string[]): NatsBackboneOptions {
  return { servers, credentials: TEST_CREDENTIALS, replicas: 1, timeoutMilliseconds: PATIENCE_MS };
}

async function withServer(
  settings: Partial<NatsConfiguration>,
  body: (cluster: NatsCluster) => Promise<void>,
): Promise<void> {
  const cluster = await NatsCluster.start(1, settings);
  try {
    await body(cluster);
  } finally {
    await cluster.dispose();
  }
}
