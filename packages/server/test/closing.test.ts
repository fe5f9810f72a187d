import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, renameSync, rmSync } from "node:fs";
import { get as httpsGet } from "node:https";
import { connect as connectSocket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TLSSocket } from "node:tls";
import { MemoryDisk } from "@orthant/disk";
import { NodeDisk } from "@orthant/disk/node";
import { codeOfRejection, FakeTime, FaultDisk } from "@orthant/testkit";
import { openWorldEngine } from "@orthant/world/engine";
import { pino } from "pino";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { PlainClient, requestOrigin } from "./plain-client.ts";
import { ask, closedAfterTest, flatWorld, metric, serve, until } from "./served-world.ts";

let folder = "";
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "orthant-server-"));
});
afterAll(() => rmSync(folder, { recursive: true }));

const OPENSSL = "openssl";
const EDIT = { kind: "voxels", editId: 1, placements: [{ voxel: [1, 40, 1, 0], block: 3 }] } as const;

describe("closing a server", () => {
  test("tells clients when to reconnect, saves the world and leaves it open", async () => {
    const world = await flatWorld();
    const server = await serve({ world });
    const client = await PlainClient.join(server.url);
    await client.next("welcome");
    client.say(EDIT);
    await client.next("editResults");
    const before = world.generation;
    await server.close({ detail: "an update", retryAfterMs: 2_500 });
    expect(await client.next("goodbye")).toEqual({
      kind: "goodbye",
      reason: "shutdown",
      detail: "an update",
      retryAfterMs: 2_500,
    });
    expect(await client.closed).toBe(1012);
    expect(world.generation).toBeGreaterThan(before);
    expect(await world.get([1, 40, 1, 0])).toBe(3);
    await expect(ask(server, "/healthz")).rejects.toThrow("ECONNREFUSED");
    await server.close(); // twice is harmless
  });

  test("does not wait for a rule that never answers", async () => {
    let asked = 0;
    const beforeEdit = (): Promise<undefined> => {
      asked++;
      return new Promise(() => undefined);
    };
    const server = await serve({ rules: { beforeEdit }, limits: { closeMs: 20 } });
    const client = await PlainClient.join(server.url);
    await client.next("welcome");
    client.say(EDIT);
    await until(() => asked === 1);
    await server.close();
    expect((await client.next("goodbye")).reason).toBe("shutdown");
  });

  test("refuses new clients meanwhile, and reports that it is not ready", async () => {
    const time = new FakeTime();
    const server = await serve({ time });
    const stuck = await PlainClient.connect(server.url);
    stuck.socket.pause(); // it neither reads its goodbye nor answers it
    const closing = server.close();
    expect(await ask(server, "/readyz")).toMatchObject({ status: 503, text: "closing\n" });
    expect((await ask(server, "/healthz")).status).toBe(200);
    await expect(PlainClient.connect(server.url)).rejects.toThrow("503");
    expect(await metric(server, 'orthant_refusals_total{name="closing"}')).toBe(1);
    let closed = false;
    closing.then(() => {
      closed = true;
    });
    time.advance(4_999);
    expect(closed).toBe(false);
    time.advance(1);
    await closing; // the server does not wait for a client that does not read
    stuck.socket.terminate();
  });

  test("closes the world as well, if the operator asks for that", async () => {
    const world = await flatWorld();
    const server = await serve({ world, closeWorld: true });
    await server.close();
    expect(await codeOfRejection(world.get([0, 0, 0, 0]))).toBe("ORT_CLOSED");
  });
});

describe("a client that reconnects after a restart", () => {
  test("gets only what changed, and its edit is not applied twice", async () => {
    const disk = await NodeDisk.create(join(folder, "world"));
    const first = await serve({ world: await flatWorld(disk), closeWorld: true, acknowledge: "durable" });
    const client = await PlainClient.join(first.url, { clientId: 9n });
    const { worldId, epoch } = await client.next("welcome");
    requestOrigin(client);
    await client.next("blank");
    client.say(EDIT);
    const { patch } = await client.next("patch");
    const clock = patch.changes[0]?.next ?? 0;
    expect((await client.next("editResults")).results).toEqual([{ editId: 1, status: "applied" }]);
    await first.close();

    const world = closedAfterTest(await openWorldEngine(disk));
    const second = await serve({ world });
    const again = await PlainClient.join(second.url, { clientId: 9n, kept: { worldId, epoch } });
    const welcome = await again.next("welcome");
    expect(welcome.resumed).toBe(true);
    expect(welcome.epoch.number).toBeGreaterThan(epoch.number);
    requestOrigin(again, { held: [{ region: [0, 0, 0, 0], clock }] });
    again.say(EDIT);
    expect((await again.next("editResults")).results).toEqual([{ editId: 1, status: "duplicate" }]);
    await until(() => again.messages.some((message) => message.kind === "heartbeat" && message.complete));
    expect(again.messages.filter(({ kind }) => kind === "patch" || kind === "blank")).toEqual([]);
    expect(world.clockOf([0, 0, 0, 0])).toBe(clock);
  });
});

describe("a world that cannot be saved", () => {
  test("is not ready, accepts no edits, and is reported in the metrics, in the log and on closing", async () => {
    // The manifest is replaced when the world is created, when its epoch opens, and at the failing save.
    const fault = { operation: "rename", kind: "io", nth: 3, path: /manifest/ } as const;
    const world = await flatWorld(new FaultDisk(new MemoryDisk(), fault));
    const lines: string[] = [];
    const logger = pino({}, { write: (line) => lines.push(line) });
    const server = await serve({ world, logger });
    const client = await PlainClient.join(server.url);
    await client.next("welcome");
    await world.set([0, 50, 0, 0], 3);
    await expect(world.save()).rejects.toThrow("ORT_SAVE_FAILED");
    expect(await ask(server, "/readyz")).toMatchObject({ status: 503, text: "the world cannot be saved\n" });
    expect((await ask(server, "/healthz")).status).toBe(200);
    expect(await metric(server, "orthant_world_failed")).toBe(1);
    client.say(EDIT);
    expect((await client.next("editResults")).results).toMatchObject([
      { status: "rejected", reason: "world" },
    ]);
    expect(await codeOfRejection(server.close())).toBe("ORT_SAVE_FAILED");
    expect(await client.closed, "clients get a goodbye all the same").toBe(1012);
    const errors = lines.map((line) => JSON.parse(line)).filter(({ level }) => level === 50);
    expect(errors.map(({ msg }) => msg)).toEqual([
      "the world could not be saved and takes no more edits",
      "closing failed",
    ]);
  });
});

describe("the log", () => {
  test("records who joined and why they left, and no secrets", async () => {
    const lines: string[] = [];
    const logger = pino({ level: "trace" }, { write: (line) => lines.push(line) });
    const server = await serve({
      logger,
      authorize: ({ name }) => ({ playerId: 41n, role: "viewer", name }),
    });
    const token = Buffer.from("a very secret token");
    const client = await PlainClient.join(server.url, { clientId: 987_654_321n, token });
    await client.next("welcome");
    server.kick(41n, "enough");
    await client.closed;
    await until(() => server.connectionCount === 0);
    const events = lines.map((line) => JSON.parse(line));
    expect(events.find(({ msg }) => msg === "connection opened")).toMatchObject({ address: "127.0.0.1" });
    expect(events.find(({ msg }) => msg === "connection closed")).toMatchObject({
      address: "127.0.0.1",
      player: "41",
      reason: "kicked",
      detail: "enough",
      code: 1008,
      bytesIn: expect.any(Number),
      bytesOut: expect.any(Number),
    });
    expect(lines.join("")).not.toContain("secret");
    expect(lines.join("")).not.toContain("987654321");
  });
});

describe("a server with a certificate", () => {
  /** Creates a self-signed certificate and its key. */
  function makeCertificate(name: string): { readonly certificateFile: string; readonly keyFile: string } {
    const certificateFile = join(folder, `${name}.pem`);
    const keyFile = join(folder, `${name}-key.pem`);
    const made = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "1"];
    const about = ["-subj", `/CN=${name}`, "-addext", "subjectAltName=IP:127.0.0.1"];
    const files = ["-keyout", keyFile, "-out", certificateFile];
    execFileSync(OPENSSL, ["req", "-x509", ...made, ...about, ...files], { stdio: "ignore" });
    return { certificateFile, keyFile };
  }

  /** Returns the name in the certificate that a server presents. */
  async function shownName(port: number, ca: Buffer): Promise<string> {
    return new Promise((resolve, reject) => {
      const request = httpsGet(
        { host: "127.0.0.1", port, path: "/healthz", ca, agent: false },
        (response) => {
          resolve(String((response.socket as TLSSocket).getPeerCertificate().subject.CN));
          response.resume();
        },
      );
      request.on("error", reject);
    });
  }

  test("serves wss and https, and reloads its certificate without a restart", async () => {
    const tls = makeCertificate("first");
    const ca = readFileSync(tls.certificateFile);
    const server = await serve({ tls });
    expect(server.url).toBe(`wss://127.0.0.1:${server.port}`);
    const client = await PlainClient.join(server.url, {}, { ca });
    expect((await client.next("welcome")).worldName).toBe("Plain");
    expect(await shownName(server.port, ca)).toBe("first");

    const { certificateFile, keyFile } = makeCertificate("second");
    renameSync(certificateFile, tls.certificateFile);
    renameSync(keyFile, tls.keyFile);
    await server.reloadCertificate();
    expect(await shownName(server.port, readFileSync(tls.certificateFile))).toBe("second");
    expect(client.socket.readyState, "who is connected stays").toBe(client.socket.OPEN);
    await server.close();
    expect(await client.closed).toBe(1012);
  });

  test("does not wait for clients that never finish their TLS handshake when it closes", async () => {
    const server = await serve({ tls: makeCertificate("fourth"), limits: { httpHeaderMs: 3_600_000 } });
    const socket = connectSocket(server.port, "127.0.0.1");
    socket.on("error", () => undefined);
    await new Promise((resolve) => socket.once("connect", resolve));
    const ended = new Promise((resolve) => socket.once("close", resolve));
    await server.close();
    await ended;
  });

  test("accepts a certificate as a value, and rejects an unusable one", async () => {
    const files = makeCertificate("third");
    const certificate = readFileSync(files.certificateFile, "utf8");
    const key = readFileSync(files.keyFile, "utf8");
    const server = await serve({ tls: { certificate, key: Buffer.from(key) } });
    expect(await shownName(server.port, Buffer.from(certificate))).toBe("third");
    const missing = { certificateFile: join(folder, "none.pem"), keyFile: files.keyFile };
    expect(await codeOfRejection(serve({ tls: missing }))).toBe("ORT_LISTEN");
    expect(await codeOfRejection(serve({ tls: { certificate, key: "no key" } }))).toBe("ORT_LISTEN");
  });
});
