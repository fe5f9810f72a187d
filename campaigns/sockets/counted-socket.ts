import type { WebSocketLike } from "@orthant/client";
import { SERVER_FRAME_BYTES_MAX } from "@orthant/protocol";
import { WebSocket } from "ws";

/** A client's socket that counts what comes in, and that can be cut. */
export class CountedSocket {
  readonly socket: WebSocketLike;
  readonly #webSocket: WebSocket;
  #receivedBytes = 0;

  constructor(url: string) {
    this.#webSocket = new WebSocket(url, { maxPayload: SERVER_FRAME_BYTES_MAX, perMessageDeflate: false });
    this.socket = this.#webSocket;
    this.#webSocket.on("message", (data: ArrayBuffer) => {
      this.#receivedBytes += data.byteLength;
    });
  }

  /** Bytes of all frames that came. */
  get receivedBytes(): number {
    return this.#receivedBytes;
  }

  /** Ends the connection as a network does, without a word. */
  cut(): void {
    this.#webSocket.terminate();
  }
}
