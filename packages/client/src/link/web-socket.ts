/** What the client needs of a WebSocket: those of browsers have it, that of Node 22 and that of the `ws` package. */
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

/** Begins to connect to an address. */
export type OpenSocket = (url: string) => WebSocketLike;

declare const WebSocket: (new (url: string) => WebSocketLike) | undefined;

/** What opens sockets with the platform's own `WebSocket`; `undefined` where there is none. */
export function platformSocket(): OpenSocket | undefined {
  if (typeof WebSocket === "undefined") return undefined;
  const PlatformSocket = WebSocket;
  return (url) => new PlatformSocket(url);
}
