import type { WebSocketLike } from "@orthant/client";
import { SERVER_FRAME_BYTES_MAX } from "@orthant/protocol";
import { WebSocket } from "ws";

/** A client socket that counts received bytes and can be cut. */
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

  /** Bytes of all received frames. */
  get receivedBytes(): number {
    return this.#receivedBytes;
  }

  /** Drops the connection without a closing handshake, as a network failure does. */
  cut(): void {
    this.#webSocket.terminate();
  }
}
