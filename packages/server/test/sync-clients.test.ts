import type { EditResult, Position } from "@orthant/core";
import { DEFAULT_GENERATORS } from "@orthant/core/generate";
import { boxBetween } from "@orthant/core/lattice";
import { SyncClient } from "@orthant/protocol/client";
import { FakeTime, Prng } from "@orthant/testkit";
import { describe, expect, test } from "vitest";
import { WebSocket } from "ws";
import { flatWorld, metric, serve } from "./served-world.ts";

const AROUND = boxBetween([-4, -4, -4, 0], [4, 8, 4, 1]);
const EDITS = 40;

/** A client over a real socket. It receives, and ticks, on every message of the socket. */
class SocketClient {
  readonly client: SyncClient;
  readonly results: EditResult[] = [];
  readonly #time = new FakeTime();
  readonly #socket: WebSocket;

  constructor(url: string, clientId: bigint) {
    this.client = new SyncClient({
      time: this.#time,
      generators: DEFAULT_GENERATORS,
      clientId,
      name: `client ${clientId}`,
      token: () => new Uint8Array(0),
      events: { onEditResult: ({ result }) => this.results.push(result) },
    });
    this.client.setInterest({ boxes: [AROUND], center: [0, 0, 0, 0] });
    this.#socket = new WebSocket(url);
    this.#socket.on("open", () => {
      const wire = {
        send: (frame: Uint8Array) => this.#socket.send(frame),
        close: () => this.#socket.close(),
      };
      this.client.connected(wire);
      this.tick();
    });
    this.#socket.on("message", (data: Buffer) => {
      this.client.receive(new Uint8Array(data));
      this.tick();
    });
    this.#socket.on("close", () => this.client.disconnected());
  }

  tick(): void {
    this.#time.advance(50);
    this.client.tick();
  }

  /** Waits for messages until the condition holds. */
  async until(condition: () => boolean): Promise<void> {
    while (!condition()) await new Promise((resolve) => this.#socket.once("message", resolve));
  }
}

describe("clients over real sockets", () => {
  test("see the same world as the server while all of them edit it", async () => {
    const world = await flatWorld();
    const limits = { framesPerSecond: 10_000, framesBurst: 10_000, editsBurst: 1_000 };
    const server = await serve({ world, limits });
    const clients = [1n, 2n, 3n].map((clientId) => new SocketClient(server.url, clientId));
    for (const each of clients) await each.until(() => each.client.isComplete);

    const random = new Prng(11);
    const touched: Position[] = [];
    for (let edit = 0; edit < EDITS; edit++) {
      for (const { client } of clients) {
        const voxel: Position = [random.below(32) - 16, random.below(64) - 16, random.below(32) - 16, 0];
        touched.push(voxel);
        client.setVoxels([{ voxel, block: random.below(5) }]);
      }
    }
    for (const each of clients) each.tick();
    for (const each of clients) await each.until(() => each.results.length === EDITS);
    for (const each of clients) {
      for (const voxel of touched) {
        const block = await world.get(voxel);
        await each.until(() => each.client.replica?.voxelAt(voxel) === block);
      }
      expect(each.results.every(({ status }) => status !== "rejected")).toBe(true);
      expect(each.client.openEdits).toEqual([]);
    }
    expect(await metric(server, "orthant_resyncs_total")).toBe(0);
    expect(await metric(server, "orthant_players")).toBe(3);
  });
});
