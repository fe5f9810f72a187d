/** The parts of a WebSocket that the client uses. Browsers, Node 22 and the `ws` package provide them. */
export interface WebSocketLike {
  binaryType: string;
  addEventListener(type: "open", listener: () => void): void;
  addEventListener(type: "message", listener: (event: { readonly data: unknown }) => void): void;
  addEventListener(type: "error", listener: (event: object) => void): void;
  addEventListener(
    type: "close",
    listener: (event: { readonly code: number; readonly reason: string }) => void,
  ): void;
  send(data: Uint8Array): void;
  close(): void;
}

/** Starts to connect to an address. */
export type OpenSocket = (url: string) => WebSocketLike;

declare const WebSocket: (new (url: string) => WebSocketLike) | undefined;

/** Returns a function that opens the platform's `WebSocket`, or `undefined` if there is none. */
export function platformSocket(): OpenSocket | undefined {
  if (typeof WebSocket === "undefined") return undefined;
  const PlatformSocket = WebSocket;
  return (url) => new PlatformSocket(url);
}
