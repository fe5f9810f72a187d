import { OrthantError } from "@orthant/core";
import { nameFault, printable } from "@orthant/core/arguments";
import type { ServerOpening } from "./message/messages.ts";

/** A world on a server, and who visits it. */
export interface ServerAddress {
  /** Address of the server, such as `wss://play.example.org`; a path leads to the page's own server. */
  readonly url: string;
  /** The visitor's token, if the server wants one. */
  readonly token?: string;
  /** Name to show to other players, unless the token has one; `Visitor` by default. */
  readonly name?: string;
}

const SCHEMES: ReadonlyMap<string, string> = new Map([
  ["ws:", "ws:"],
  ["wss:", "wss:"],
  ["http:", "ws:"],
  ["https:", "wss:"],
]);

/** Checks an address and returns the request that opens its world. Throws `ORT_ARGUMENT`. */
export function serverOpening({ url, token = "", name = "Visitor" }: ServerAddress): ServerOpening {
  if (typeof token !== "string") throw wrong("token", token, "text; leave it out for none");
  if (typeof name !== "string") throw wrong("name", name, "text");
  const fault = nameFault(name);
  if (fault !== undefined) throw wrong("name", name, `a name that a server accepts: ${fault}`);
  return { kind: "server", url: socketAddress(url), token, name };
}

function socketAddress(url: string): string {
  const wanted = "an address such as wss://play.example.org";
  if (typeof url !== "string") throw wrong("url", url, wanted);
  const parsed = URL.canParse(url, location.href) ? new URL(url, location.href) : undefined;
  const scheme = SCHEMES.get(parsed?.protocol ?? "");
  if (parsed === undefined || scheme === undefined) throw wrong("url", url, wanted);
  parsed.protocol = scheme;
  parsed.hash = "";
  return parsed.href;
}

/** Returns the error for a wrong option. */
export function wrong(option: string, value: unknown, wanted: string): OrthantError {
  return new OrthantError("ORT_ARGUMENT", `the option ${option} is ${shown(value)}; it must be ${wanted}`);
}

function shown(value: unknown): string {
  if (typeof value === "string") return printable(JSON.stringify(value));
  return typeof value === "number" || value === undefined || value === null
    ? String(value)
    : `of type ${typeof value}`;
}
