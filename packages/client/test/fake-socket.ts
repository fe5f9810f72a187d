import type { OpenSocket, WebSocketLike } from "@orthant/client/replica";

type Listener = (event: never) => void;

/** A WebSocket whose other end is the test. */
export class FakeSocket implements WebSocketLike {
  binaryType = "";
  readonly url: string;
  readonly sent: Uint8Array[] = [];
  isClosed = false;
  readonly #listeners = new Map<string, Listener[]>();

  constructor(url: string) {
    this.url = url;
  }

  addEventListener(type: string, listener: Listener): void {
    this.#listeners.set(type, [...(this.#listeners.get(type) ?? []), listener]);
  }

  send(data: Uint8Array): void {
    this.sent.push(data.slice());
  }

  close(): void {
    this.isClosed = true;
  }

  open(): void {
    this.#tell("open", {});
  }

  receive(frame: Uint8Array): void {
    this.#tell("message", { data: frame.slice().buffer });
  }

  receiveText(data: string): void {
    this.#tell("message", { data });
  }

  fail(message: string): void {
    this.#tell("error", { message });
    this.lose();
  }

  lose(code = 1006, reason = ""): void {
    this.#tell("close", { code, reason });
  }

  #tell(type: string, event: object): void {
    for (const listener of this.#listeners.get(type) ?? []) listener(event as never);
  }
}

/** Opens fake sockets and remembers them. */
export function fakeSockets(): { readonly sockets: FakeSocket[]; readonly open: OpenSocket } {
  const sockets: FakeSocket[] = [];
  return {
    sockets,
    open(url) {
      const socket = new FakeSocket(url);
      sockets.push(socket);
      return socket;
    },
  };
}
