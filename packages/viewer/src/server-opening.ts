import {
  checkedOptions,
  type OptionTable,
  requirePrintableName,
  requireText,
  wrongArgument,
} from "@orthant/core/arguments";
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

/** The checks of a {@link ServerAddress}. */
export const ADDRESS_OPTIONS: OptionTable<ServerAddress> = {
  url: socketAddress,
  token: requireText,
  name: requirePrintableName,
};

/** Checks an address and returns the request that opens its world. Throws `ORT_ARGUMENT`. */
export function serverOpening(address: ServerAddress): ServerOpening {
  const checked = checkedOptions("the address", address, ADDRESS_OPTIONS);
  const { url = socketAddress("url", undefined), token = "", name = "Visitor" } = checked;
  return { kind: "server", url, token, name };
}

function socketAddress(option: string, url: unknown): string {
  const parsed =
    typeof url === "string" && URL.canParse(url, location.href) ? new URL(url, location.href) : undefined;
  const scheme = SCHEMES.get(parsed?.protocol ?? "");
  if (parsed === undefined || scheme === undefined)
    throw wrongArgument(option, url, "it is an address such as wss://play.example.org");
  parsed.protocol = scheme;
  parsed.hash = "";
  return parsed.href;
}
