import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { BlockCatalog } from "@orthant/core";
import { MemoryDisk } from "@orthant/disk";
import type { ServerOptions } from "@orthant/server";
import { codeOfRejection, FakeTime } from "@orthant/testkit";
import { createWorldEngine } from "@orthant/world/engine";
import { Registry } from "prom-client";
import { describe, expect, onTestFinished, test } from "vitest";
import { PlainClient } from "./plain-client.ts";
import { ask, closedAfterTest, flatWorld, metric, serve } from "./served-world.ts";

/** Time that advances without running timers, as when the process is busy. */
class BusyTime extends FakeTime {
  #busyMs = 0;

  override nowMs(): number {
    return super.nowMs() + this.#busyMs;
  }

  beBusy(ms: number): void {
    this.#busyMs += ms;
  }
}

describe("HTTP endpoints", () => {
  test("report that the process is alive and ready for clients", async () => {
    const server = await serve();
    expect(await ask(server, "/healthz")).toMatchObject({ status: 200, text: "alive\n" });
    expect(await ask(server, "/readyz?from=a-proxy")).toMatchObject({ status: 200, text: "ready\n" });
    expect(await ask(server, "/healthz", {}, "HEAD")).toMatchObject({ status: 200, text: "" });
  });

  test("answer 404 for unknown paths", async () => {
    const server = await serve();
    for (const path of ["/", "/world", "/etc/passwd", "/healthz/", "//healthz", "*"]) {
      expect((await ask(server, path)).status, path).toBe(404);
    }
    expect(await metric(server, 'orthant_refusals_total{name="path"}')).toBe(6);
  });

  test.each(["__proto__", "constructor", "toString", "valueOf"])(
    "treat %s as a path, a query and the end of a file's name like any other",
    async (name) => {
      const folder = await mkdtemp(join(tmpdir(), "orthant-page-"));
      onTestFinished(() => rm(folder, { recursive: true }));
      await writeFile(join(folder, "index.html"), "<!doctype html><title>A page</title>");
      await writeFile(join(folder, `a.${name}`), "own");
      const server = await serve({ page: folder });
      expect((await ask(server, `/${name}`)).status).toBe(404);
      expect((await ask(server, `/healthz?${name}=${name}`)).status).toBe(200);
      expect(await ask(server, `/a.${name}`)).toMatchObject({
        status: 200,
        text: "own",
        headers: { "content-type": "application/octet-stream" },
      });
    },
  );

  test("serve a game's own folder, compressed if the client accepts that, and nothing outside it", async () => {
    const folder = await mkdtemp(join(tmpdir(), "orthant-page-"));
    onTestFinished(() => rm(folder, { recursive: true }));
    await mkdir(join(folder, "assets"));
    await writeFile(join(folder, "index.html"), "<!doctype html><title>A page</title>");
    await writeFile(join(folder, "assets", "a1b2.js"), "let here;".repeat(100));
    const server = await serve({ page: folder });
    const index = await ask(server, "/?from=a-link");
    expect([index.status, index.headers["content-type"], index.text]).toEqual([
      200,
      "text/html; charset=utf-8",
      "<!doctype html><title>A page</title>",
    ]);
    expect(index.headers["content-security-policy"]).toContain("default-src 'none'; script-src 'self'");
    expect(index.headers["cache-control"]).toBe("no-cache");
    const script = await ask(server, "/assets/a1b2.js", { "accept-encoding": "br, gzip" });
    expect([script.headers["content-encoding"], script.headers["cache-control"]]).toEqual([
      "gzip",
      "public, max-age=31536000, immutable",
    ]);
    expect(Number(script.headers["content-length"])).toBeLessThan(100);
    expect(await ask(server, "/", {}, "HEAD")).toMatchObject({ status: 200, text: "" });
    for (const path of ["/assets", "/assets/", "/../package.json", "/assets/..%2findex.html", "/index.htm"]) {
      expect((await ask(server, path)).status, path).toBe(404);
    }
    expect((await ask(server, "/healthz")).text, "its own pages stay").toBe("alive\n");
    const client = await PlainClient.join(server.url);
    await client.next("welcome");
  });

  test("send a page with a strict policy, to which its owner adds framing pages and sources", async () => {
    const folder = await mkdtemp(join(tmpdir(), "orthant-page-"));
    onTestFinished(() => rm(folder, { recursive: true }));
    await writeFile(join(folder, "index.html"), "<!doctype html><title>A page</title>");
    const policyOf = async (page: ServerOptions["page"]): Promise<unknown> =>
      (await ask(await serve(page === undefined ? {} : { page }), "/")).headers["content-security-policy"];
    const strict =
      "default-src 'none'; script-src 'self'; worker-src 'self'; style-src 'self'; img-src 'self' blob:; connect-src 'self'; form-action 'none'; base-uri 'none'; frame-ancestors 'none'";
    expect(await policyOf(folder)).toBe(strict);
    expect(await policyOf({ folder: pathToFileURL(folder), frameAncestors: [] })).toBe(strict);
    expect(
      await policyOf({
        folder,
        frameAncestors: ["https://example.org", "http://127.0.0.1:8080"],
        contentSecurityPolicy: {
          "style-src": ["'unsafe-inline'"],
          "connect-src": ["https://api.example.org/v1/", "wss://*.example.org:*"],
          "font-src": ["data:", "'sha256-47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU='"],
        },
      }),
    ).toBe(
      strict
        .replace("style-src 'self'", "style-src 'self' 'unsafe-inline'")
        .replace(
          "connect-src 'self'",
          "connect-src 'self' https://api.example.org/v1/ wss://*.example.org:*; font-src data: 'sha256-47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU='",
        )
        .replace("frame-ancestors 'none'", "frame-ancestors https://example.org http://127.0.0.1:8080"),
    );
  });

  test.each<[what: string, page: object, detail: string]>([
    [
      "a path behind an origin",
      { frameAncestors: ["https://example.org/game"] },
      '"https://example.org/game"',
    ],
    ["a name without a scheme", { frameAncestors: ["example.org"] }, '"example.org" in page.frameAncestors'],
    ["all pages", { frameAncestors: ["*"] }, '"*" in page.frameAncestors'],
    ["a keyword", { frameAncestors: ["'self'"] }, "page.frameAncestors"],
    ["another directive", { frameAncestors: ["https://a.org; script-src *"] }, "page.frameAncestors"],
    ["another policy", { frameAncestors: ["https://a.org,default-src"] }, "page.frameAncestors"],
    ["another header", { frameAncestors: ["https://a.org\r\nset-cookie: a=b"] }, "\\r\\nset-cookie"],
    ["a line end", { frameAncestors: ["https://a.org\n"] }, "page.frameAncestors"],
    ["a number", { frameAncestors: [7] }, "page.frameAncestors is [7]; it is"],
    ["text for a list", { frameAncestors: "https://a.org" }, "page.frameAncestors is"],
    ["no folder", { folder: undefined, frameAncestors: [] }, "page is"],
    ["an unknown option", { frames: [] }, "there is no field frames in page"],
    [
      "the directive of another option",
      { contentSecurityPolicy: { "frame-ancestors": ["*"] } },
      '"frame-ancestors" in',
    ],
    [
      "an invalid directive",
      { contentSecurityPolicy: { "style-src; x": ["*"] } },
      "is not one of script-src",
    ],
    [
      "two sources in one",
      { contentSecurityPolicy: { "img-src": ["data: blob:"] } },
      'page.contentSecurityPolicy["img-src"]',
    ],
    [
      "a directive in a source",
      { contentSecurityPolicy: { "img-src": ["data:;script-src"] } },
      '["img-src"]',
    ],
    ["a header in a source", { contentSecurityPolicy: { "img-src": ["data:\r\nx: y"] } }, '["img-src"]'],
    ["a source that is not text", { contentSecurityPolicy: { "img-src": [null] } }, "it is lists of sources"],
  ])("refuse %s in a page's policy", async (_what, page, detail) => {
    const options = { folder: ".", ...page };
    await expect(serve({ page: options as unknown as string })).rejects.toThrow(detail);
    expect(await codeOfRejection(serve({ page: options as unknown as string }))).toBe("ORT_ARGUMENT");
  });

  test("fail to start when the page's folder is missing or too large", async () => {
    const folder = await mkdtemp(join(tmpdir(), "orthant-page-"));
    onTestFinished(() => rm(folder, { recursive: true }));
    expect(await codeOfRejection(serve({ page: folder }))).toBe("ORT_NOT_FOUND");
    expect(await codeOfRejection(serve({ page: join(folder, "absent") }))).toBe("ORT_NOT_FOUND");
    await writeFile(join(folder, "index.html"), Buffer.alloc(17 * 1024 * 1024));
    expect(await codeOfRejection(serve({ page: folder }))).toBe("ORT_LIMIT");
  });

  test("answer 405 to methods other than GET and HEAD", async () => {
    const server = await serve();
    for (const method of ["POST", "PUT", "DELETE", "OPTIONS"]) {
      const { status, headers } = await ask(server, "/healthz", {}, method);
      expect([status, headers["allow"]], method).toEqual([405, "GET, HEAD"]);
    }
    expect(await metric(server, 'orthant_refusals_total{name="method"}')).toBe(4);
  });

  test("ignore an Upgrade header for protocols other than WebSocket", async () => {
    const server = await serve();
    const offer = { connection: "Upgrade, HTTP2-Settings", upgrade: "h2c", "http2-settings": "AAMAAABkAAQ" };
    expect(await ask(server, "/healthz", offer)).toMatchObject({ status: 200, text: "alive\n" });
    expect((await ask(server, "/world", offer)).status).toBe(404);
  });

  test("rate-limit each network and recover after the window", async () => {
    const time = new FakeTime();
    const server = await serve({ time, limits: { httpRequestsPerSecond: 2, httpRequestsBurst: 3 } });
    const statuses = async (): Promise<readonly number[]> => [
      (await ask(server, "/healthz")).status,
      (await ask(server, "/healthz")).status,
    ];
    expect(await statuses()).toEqual([200, 200]);
    expect(await statuses()).toEqual([200, 429]);
    expect((await ask(server, "/healthz")).text).toContain("(httpRequestsPerSecond)");
    time.advance(1_000);
    expect(await statuses()).toEqual([200, 200]);
    time.advance(1_000);
    expect(await metric(server, 'orthant_refusals_total{name="httpRequestsPerSecond"}')).toBe(2);
  });
});

describe("the metrics of a server", () => {
  test("start at 0, in their own registry", async () => {
    const server = await serve();
    const { text, headers } = await ask(server, "/metrics");
    expect(headers["content-type"]).toBe("text/plain; version=0.0.4; charset=utf-8");
    for (const zero of [
      "orthant_connections 0",
      "orthant_players 0",
      "orthant_world_failed 0",
      'orthant_goodbyes_total{reason="limit",limit="framesPerSecond"} 0',
      'orthant_goodbyes_total{reason="slow",limit="slowMs"} 0',
      'orthant_refusals_total{name="connectionsPerAddress"} 0',
      'orthant_edits_total{outcome="tooLarge"} 0',
    ]) {
      expect(text.split("\n"), zero).toContain(zero);
    }
    expect(text, "and those of the process").toContain("nodejs_eventloop_lag_p99_seconds ");
    expect(text).toContain("process_resident_memory_bytes ");
    await serve(); // a second server in the same process counts separately
  });

  test("show the state of a part of a cluster, and only the shards that it owns now", async () => {
    const shard = { term: 3, unsavedRecords: 12, unsavedBytes: 340, savedAgoMs: 1_500, isSaveRefused: true };
    let owned = [
      { shard: "0", ...shard },
      { shard: "east", ...shard },
    ];
    const counts = {
      claimed: 2,
      lost: 1,
      journalsLost: 0,
      vacant: ["east", "west"],
      regions: 7,
      openEdits: 4,
      isBackboneAway: true,
      distantPlayers: 5,
    };
    const server = await serve({ cluster: () => ({ ...counts, owned }) });
    expect(await metric(server, 'orthant_shard_unsaved_records{shard="0"}')).toBe(12);
    expect(await metric(server, 'orthant_shard_unsaved_bytes{shard="0"}')).toBe(340);
    expect(await metric(server, 'orthant_shard_saved_ago_seconds{shard="east"}')).toBe(1.5);
    expect(await metric(server, 'orthant_shard_term{shard="east"}')).toBe(3);
    expect(await metric(server, "orthant_shards_claimed_total")).toBe(2);
    expect(await metric(server, "orthant_shards_lost_total"), "the same at every reading").toBe(1);
    expect(await metric(server, "orthant_shards_lost_total")).toBe(1);
    expect(await metric(server, "orthant_shards_vacant")).toBe(2);
    const ready = await ask(server, "/readyz");
    expect([ready.status, ready.text]).toEqual([503, "no node owns shards east, west\n"]);
    expect(await metric(server, "orthant_gateway_open_edits")).toBe(4);
    expect(await metric(server, "orthant_gateway_distant_players")).toBe(5);
    expect(await metric(server, "orthant_gateway_engine_away")).toBe(1);
    owned = owned.slice(1);
    expect((await ask(server, "/metrics")).text).not.toContain('orthant_shard_term{shard="0"}');
  });

  test("count connections, players, frames, bytes and ticks", async () => {
    const world = await flatWorld();
    const server = await serve({ world });
    const client = await PlainClient.join(server.url);
    await client.next("welcome");
    await client.next("heartbeat");
    expect(await metric(server, "orthant_connections")).toBe(1);
    expect(await metric(server, "orthant_players")).toBe(1);
    expect(await metric(server, 'orthant_frames_total{direction="in"}')).toBe(1);
    expect(await metric(server, 'orthant_bytes_total{direction="in"}')).toBeGreaterThan(30);
    expect(await metric(server, 'orthant_frames_total{direction="out"}')).toBeGreaterThan(0);
    expect(await metric(server, 'orthant_bytes_total{direction="out"}')).toBeGreaterThan(100);
    expect(await metric(server, "orthant_tick_seconds_count")).toBeGreaterThan(0);
    expect(await metric(server, "orthant_world_generation")).toBe(world.generation);
  });

  test("can be protected by a bearer token", async () => {
    const server = await serve({ metrics: { bearer: "let me see" } });
    const refused = await ask(server, "/metrics");
    expect([refused.status, refused.headers["www-authenticate"]]).toEqual([401, "Bearer"]);
    expect((await ask(server, "/metrics", { authorization: "Bearer let me sea" })).status).toBe(401);
    const { status, text } = await ask(server, "/metrics", { authorization: "Bearer let me see" });
    expect(status).toBe(200);
    expect(text).toContain('orthant_refusals_total{name="bearer"} 2');
  });

  test("go to the operator's own registry", async () => {
    const registry = new Registry();
    const server = await serve({ metrics: { registry } });
    expect(server.metrics).toBe(registry);
    expect(await registry.metrics()).toContain("orthant_players 0");
  });
});

describe("ticks", () => {
  test("come at a steady pace, and those that would be too late are skipped and counted", async () => {
    const time = new BusyTime();
    const server = await serve({ time, tickMs: 50 });
    time.advance(49);
    expect(await metric(server, "orthant_tick_seconds_count")).toBe(0);
    time.advance(1);
    expect(await metric(server, "orthant_tick_seconds_count")).toBe(1);
    time.advance(100);
    expect(await metric(server, "orthant_tick_seconds_count")).toBe(3);
    expect(await metric(server, "orthant_ticks_skipped_total")).toBe(0);
    time.beBusy(175);
    time.advance(50);
    expect(await metric(server, "orthant_tick_seconds_count"), "one late, and one at once").toBe(5);
    expect(await metric(server, "orthant_ticks_skipped_total")).toBe(2);
  });
});

describe("a server that cannot start", () => {
  test.each([
    ["a limit that there is not", { limits: { editsPerHour: 5 } as object }],
    ["a limit of nothing", { limits: { editsPerSecond: 0 } }],
    ["a limit that is not a number", { limits: { editsPerSecond: Number.NaN } }],
    ["less than no proxies", { proxies: -1 }],
    ["ticks without end", { tickMs: 0 }],
  ])("a server does not start with %s", async (_what, options) => {
    expect(await codeOfRejection(serve(options))).toBe("ORT_ARGUMENT");
  });

  test("a server does not start with more blocks than fit into a welcome", async () => {
    const blocks = Array.from({ length: 5_000 }, (_, id) => ({
      id,
      name: id === 0 ? "air" : `block ${id}`.padEnd(60, "."),
      colour: 0,
      solid: id > 0,
    }));
    const world = await createWorldEngine(new MemoryDisk(), { catalog: new BlockCatalog(blocks) });
    expect(await codeOfRejection(serve({ world: closedAfterTest(world) }))).toBe("ORT_LIMIT");
  });

  test("a server does not start on a port in use", async () => {
    const { port } = await serve();
    expect(await codeOfRejection(serve({ port }))).toBe("ORT_LISTEN");
  });
});

describe("a game's own requests", () => {
  async function answering(onRequest: NonNullable<ServerOptions["onRequest"]>) {
    const server = await serve({ onRequest });
    return {
      server,
      send: (path: string, init?: RequestInit) => fetch(`http://127.0.0.1:${server.port}${path}`, init),
    };
  }

  test("are answered by the game, with status, headers and body", async () => {
    const { send, server } = await answering(async (request) => {
      const { pathname, searchParams } = new URL(request.url);
      if (pathname !== "/login") return undefined;
      const headers = new Headers({
        "content-type": "text/plain",
        "x-game": `${request.headers.get("x-own")}`,
      });
      headers.append("set-cookie", "a=1");
      headers.append("set-cookie", "b=2");
      return new Response(`${request.method} ${searchParams.get("q")} ${await request.text()}`, {
        status: 201,
        headers,
      });
    });
    const answer = await send("/login?q=7", {
      method: "POST",
      body: "name=Ada",
      headers: { "x-own": "yes" },
    });
    expect([answer.status, await answer.text()]).toEqual([201, "POST 7 name=Ada"]);
    expect([answer.headers.get("x-game"), answer.headers.getSetCookie()]).toEqual(["yes", ["a=1", "b=2"]]);
    expect((await send("/login", { method: "HEAD" })).status).toBe(201);
    expect((await send("/elsewhere")).status).toBe(404);
    expect((await send("/elsewhere", { method: "POST", body: "x" })).status).toBe(405);
    expect(await ask(server, "/login", {}, "TRACE")).toMatchObject({ status: 405 });
  });

  test("do not get what the server answers itself", async () => {
    const seen: string[] = [];
    const { send } = await answering((request) => {
      seen.push(new URL(request.url).pathname);
      return new Response("the game's");
    });
    expect(await (await send("/healthz")).text()).toBe("alive\n");
    expect(await (await send("/readyz")).text()).toBe("ready\n");
    expect((await send("/metrics")).status).toBe(200);
    expect(await (await send("/")).text()).toBe("the game's");
    expect(seen).toEqual(["/"]);
  });

  test("are refused if their body is too long, whether they say so or not", async () => {
    let calls = 0;
    const { send } = await answering(() => {
      calls++;
      return new Response("taken");
    });
    const long = new Uint8Array(65_537);
    const stream = () =>
      new ReadableStream({
        start(to) {
          to.enqueue(long);
          to.close();
        },
      });
    expect((await send("/", { method: "POST", body: long })).status).toBe(413);
    const streamed = { method: "POST", body: stream(), duplex: "half" } as RequestInit;
    expect((await send("/", streamed)).status).toBe(413);
    expect(calls).toBe(0);
    expect((await send("/", { method: "POST", body: long.subarray(1) })).status).toBe(200);
  });

  test.each<[string, NonNullable<ServerOptions["onRequest"]>]>([
    [
      "throws",
      () => {
        throw new Error("a bug");
      },
    ],
    ["returns something else", () => "text" as never],
  ])("are answered with 500 if the game %s", async (_, onRequest) => {
    const { send } = await answering(onRequest);
    const answer = await send("/");
    expect([answer.status, await answer.text()]).toEqual([500, "the game failed (http)\n"]);
    expect((await send("/healthz")).status).toBe(200);
  });
});
