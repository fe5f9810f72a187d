import { connect } from "node:net";
import type { OrthantServer } from "@orthant/server";
import { describe, expect, test } from "vitest";
import { serve } from "./served-world.ts";

/** Sends a text. Returns everything received until the server closes. */
function answerTo({ port }: OrthantServer, text: string): Promise<string> {
  return new Promise((resolve) => {
    const socket = connect({ port, host: "127.0.0.1" });
    let answer = "";
    socket.on("data", (data: Buffer) => {
      answer += data.toString();
    });
    socket.on("error", () => undefined); // the close event follows
    socket.on("close", () => resolve(answer));
    socket.write(text);
  });
}

async function refusals(server: OrthantServer, name: string): Promise<number | undefined> {
  const { values } = (await server.metrics.getSingleMetric("orthant_refusals_total")?.get()) ?? {
    values: [],
  };
  return values.find(({ labels }) => labels["name"] === name)?.value;
}

describe("a malformed request", () => {
  test("a request that is not HTTP is refused and counted as http", async () => {
    const server = await serve();
    expect(await answerTo(server, "HELO world\r\n\r\n")).toMatch(/^HTTP\/1\.1 400 .*\(http\)\n$/s);
    expect(await refusals(server, "http")).toBe(1);
  });

  test("a request whose head is too long is refused and counted as httpHeaderBytesMax", async () => {
    const server = await serve({ limits: { httpHeaderBytesMax: 1_024 } });
    const long = `GET / HTTP/1.1\r\nX-Long: ${"x".repeat(2_048)}\r\n\r\n`;
    expect(await answerTo(server, long)).toMatch(/^HTTP\/1\.1 431 .*\(httpHeaderBytesMax\)\n$/s);
    expect(await refusals(server, "httpHeaderBytesMax")).toBe(1);
  });

  test("a request whose head does not end is refused and counted as httpHeaderMs", async () => {
    const server = await serve({ limits: { httpHeaderMs: 50 } });
    const answer = await answerTo(server, "GET / HTTP/1.1\r\nX-Slow: ");
    expect(answer).toMatch(/^HTTP\/1\.1 408 .*\(httpHeaderMs\)\n$/s);
    expect(await refusals(server, "httpHeaderMs")).toBe(1);
  });
});
