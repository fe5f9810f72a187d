import { createSocket, type Socket } from "node:dgram";
import { once } from "node:events";
import { decode } from "@orthant/core/bytes";
import { type Wire1Message, wire1Codec } from "@orthant/protocol/internal";
import { fromHex } from "@orthant/testkit";
import { onTestFinished } from "vitest";

/** A socket that sends exactly what a test tells it to, and keeps everything it receives. */
export class UdpPeer {
  readonly #socket: Socket;
  readonly #port: number;
  readonly #received: Uint8Array[] = [];

  private constructor(socket: Socket, port: number) {
    this.#socket = socket;
    this.#port = port;
    socket.on("message", (datagram) => this.#received.push(new Uint8Array(datagram)));
  }

  /** Opens a socket at an address of this machine, closed after the test. */
  static async open(port: number, address = "127.0.0.1"): Promise<UdpPeer> {
    const socket = createSocket("udp4");
    socket.bind(0, address);
    await once(socket, "listening");
    onTestFinished(() => void socket.close());
    return new UdpPeer(socket, port);
  }

  send(datagram: string | Uint8Array): void {
    this.#socket.send(typeof datagram === "string" ? fromHex(datagram) : datagram, this.#port, "127.0.0.1");
  }

  /** Returns the next received match; the test's timeout ends the wait. */
  async hear<Found>(
    match: (datagram: Uint8Array, message: Wire1Message) => Found | undefined,
  ): Promise<Found> {
    for (;;) {
      const datagram = this.#received.shift();
      if (datagram === undefined) {
        await new Promise((resolve) => setImmediate(resolve));
        continue;
      }
      const found = match(datagram, decode(wire1Codec, datagram));
      if (found !== undefined) return found;
    }
  }
}
