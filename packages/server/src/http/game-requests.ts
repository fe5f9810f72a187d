import type { IncomingMessage, ServerResponse } from "node:http";
import { wrongArgument } from "@orthant/core/arguments";
import type { HttpRefusal } from "./connection-limiter.ts";

/**
 * A game's own answer to a request that is neither for the page nor for the server itself, such as a login; `undefined` for none.
 * The body has at most 65,536 bytes.
 */
export type RequestHandler = (request: Request) => Response | undefined | Promise<Response | undefined>;

const BODY_BYTES_MAX = 65_536;
const TOO_LONG: HttpRefusal = {
  status: 413,
  name: "http",
  detail: `the body has more than ${BODY_BYTES_MAX} bytes`,
};

/** Has the game answer a request. Returns why it was refused, or `unanswered`; `undefined` once it is answered. */
export async function answerByGame(
  request: IncomingMessage,
  response: ServerResponse,
  handler: RequestHandler,
): Promise<HttpRefusal | "unanswered" | undefined> {
  const body = await bodyOf(request);
  if (body === undefined) return TOO_LONG;
  const asked = requestOf(request, body);
  if (asked === undefined) return "unanswered";
  const answer: unknown = await handler(asked);
  if (answer === undefined) return "unanswered";
  if (!(answer instanceof Response))
    throw wrongArgument("the result of onRequest", answer, "it must return a Response or undefined");
  const bytes = Buffer.from(await answer.arrayBuffer());
  const cookies = answer.headers.getSetCookie();
  response.writeHead(answer.status, {
    ...Object.fromEntries(answer.headers),
    ...(cookies.length > 0 && { "set-cookie": cookies }),
    "content-length": bytes.length,
    "x-content-type-options": "nosniff",
  });
  response.end(request.method === "HEAD" ? undefined : bytes);
  return undefined;
}

/** Reads the body of a request; `undefined` if it is too long, or never comes. */
async function bodyOf(request: IncomingMessage): Promise<Uint8Array<ArrayBuffer> | undefined> {
  if (Number(request.headers["content-length"] ?? 0) > BODY_BYTES_MAX) return undefined;
  const parts: Buffer[] = [];
  let bytes = 0;
  try {
    // The stream stays, so that a client can read why its body was refused.
    for await (const part of request.iterator({ destroyOnReturn: false })) {
      bytes += (part as Buffer).length;
      if (bytes > BODY_BYTES_MAX) return undefined;
      parts.push(part as Buffer);
    }
  } catch {
    // The client has gone.
    return undefined;
  }
  return Uint8Array.from(Buffer.concat(parts));
}

/** Returns a request as web APIs have it; `undefined` for one that they do not know, such as TRACE. */
function requestOf(
  { method = "GET", url = "/", headers, rawHeaders }: IncomingMessage,
  body: Uint8Array<ArrayBuffer>,
): Request | undefined {
  const pairs = rawHeaders.flatMap((name, at) =>
    at % 2 === 0 ? [[name, rawHeaders[at + 1] ?? ""] as [string, string]] : [],
  );
  try {
    return new Request(new URL(url, `http://${headers.host ?? "localhost"}`), {
      method,
      headers: pairs,
      ...(body.length > 0 && { body }),
    });
  } catch {
    return undefined;
  }
}
