import type { Clipboard, Operation } from "@orthant/core/operations";
import { DEFAULT_OPERATION_LIMITS, type OperationLimits, type OperationOutcome } from "@orthant/protocol";
import { SyncClient } from "@orthant/protocol/client";
import { type OwnedRun, SyncServer, type SyncServerOptions, type SyncWorld } from "@orthant/protocol/server";
import { FakeTime, LossyNetwork, Prng, RELIABLE_NETWORK } from "@orthant/testkit";
import { describe, expect, test } from "vitest";
import { settle, TICK_MS } from "./sample-session.ts";
import { SampleWorld } from "./sample-world.ts";

const STONE = "set stone in box(0,0,9,9)";

/** What a world was asked for. */
interface Asked {
  readonly operation: Operation;
  readonly run: OwnedRun;
}

/** A server whose world notes operations and does nothing, and clients of one player. */
class Desk {
  readonly asked: Asked[] = [];
  readonly answers: (readonly [requestId: number, outcome: OperationOutcome])[] = [];
  /** What each operation waits for. */
  waits: Promise<void> = Promise.resolve();
  readonly #time = new FakeTime();
  readonly network: LossyNetwork;
  readonly server: SyncServer;
  readonly #clients: SyncClient[] = [];

  constructor(limits: Partial<OperationLimits> = {}, options: Partial<SyncServerOptions> = {}) {
    this.network = new LossyNetwork(this.#time, new Prng(7));
    const world = Object.assign(new SampleWorld(), { operations: this.#operations() });
    this.server = new SyncServer({
      world,
      time: this.#time,
      acknowledge: "applied",
      tickMs: TICK_MS,
      authorize: async ({ name }) => ({ playerId: 5n, role: "builder", name }),
      operations: { builder: { ...DEFAULT_OPERATION_LIMITS, ...limits } },
      ...options,
    });
  }

  #operations(): NonNullable<SyncWorld["operations"]> {
    const make = async (operation: Operation, run: OwnedRun) => {
      this.asked.push({ operation, run });
      await run.accept({ count: 100, box: { min: [0, 0, 0, 0], max: [9, 9, 1, 1] }, changed: [] });
      await this.waits;
      run.signal.throwIfAborted();
      return { count: 100, kept: 0, box: undefined, clocks: [], entryId: this.asked.length };
    };
    return {
      plan: async (_, run) => {
        run.bounds.spend(2, 1e9);
        return { count: 1, box: undefined };
      },
      apply: make,
      undo: (_, run) => make({ regenerate: true }, run),
      redo: (_, run) => make({ regenerate: true }, run),
      list: async () => [],
      copy: async () => ({ content: { extents: [4, 4, 1, 1] } }) as unknown as Clipboard,
      bytesOf: () => 32,
      turned: async (clipboard) => clipboard,
    };
  }

  async client(clientId: bigint): Promise<SyncClient> {
    const client = new SyncClient({
      time: this.#time,
      generators: new SampleWorld().generators,
      clientId,
      name: "",
      token: () => new Uint8Array(0),
      events: { onOperationAnswer: ({ requestId, outcome }) => this.answers.push([requestId, outcome]) },
    });
    this.connect(client);
    this.#clients.push(client);
    await this.run(3);
    return client;
  }

  connect(client: SyncClient): void {
    const [near, far] = this.network.connect().ends;
    const session = this.server.connect({ send: (frame) => far.send(frame), close: () => far.close() });
    far.listen({ receive: (frame) => session.receive(frame), disconnected: () => session.disconnected() });
    near.listen({ receive: (frame) => client.receive(frame), disconnected: () => client.disconnected() });
    client.connected({ send: (frame) => near.send(frame), close: () => near.close() });
  }

  async run(ticks: number): Promise<void> {
    for (let tick = 0; tick < ticks; tick++) {
      for (const client of this.#clients) client.tick();
      await settle();
      this.#time.advance(TICK_MS);
      this.server.tick();
      await settle();
    }
  }

  ask(client: SyncClient, text = STONE): number {
    const flags = { isDry: false, isConfirmed: false };
    return client.requestOperation({ kind: "apply", text, clipboards: [], ...flags });
  }

  get reasons(): readonly string[] {
    return this.answers.map(([, outcome]) => (outcome.kind === "refused" ? outcome.reason : outcome.kind));
  }
}

describe("requests about operations", () => {
  test("[N63] are each taken once and in order on a network that loses, repeats and reorders frames", async () => {
    const desk = new Desk({ openMax: 100, voxelsPerMinute: 1e9 });
    const client = await desk.client(1n);
    desk.network.conditions = {
      ...RELIABLE_NETWORK,
      loss: 0.2,
      duplication: 0.2,
      reordering: 0.2,
      delayMsMax: 300,
    };
    const ids = Array.from({ length: 12 }, (_, x) => desk.ask(client, `set stone in box(${x},0,20,9)`));
    await desk.run(150);
    desk.connect(client);
    await desk.run(150);
    desk.network.conditions = RELIABLE_NETWORK;
    await desk.run(100);
    expect(desk.asked.map(({ run }) => run.request.requestId)).toEqual(ids);
    expect(desk.answers.map(([id]) => id).sort((a, b) => a - b)).toEqual(ids);
    expect(new Set(desk.reasons)).toEqual(new Set(["done"]));
  });

  test("[N64] are refused unless they have the one text of their operation", async () => {
    const desk = new Desk();
    const client = await desk.client(1n);
    for (const text of ["set  stone in box(0,0,9,9)", "set stone in", "paste clipboard(0) 1,2", "x"])
      desk.ask(client, text);
    await desk.run(5);
    expect(desk.reasons).toEqual(["operation", "operation", "operation", "operation"]);
    expect(desk.asked).toEqual([]);
  });

  test("hold the account to its limits over all of its clients", async () => {
    const desk = new Desk({ openMax: 2, runningMax: 1, voxelsPerMinute: 250 });
    let goOn: () => void = () => undefined;
    desk.waits = new Promise((resolve) => {
      goOn = resolve;
    });
    const [one, two] = [await desk.client(1n), await desk.client(2n)];
    desk.ask(one);
    desk.ask(two);
    desk.ask(two);
    await desk.run(3);
    expect(desk.asked.length, "one runs at once").toBe(1);
    expect(desk.reasons, "the third is refused").toEqual(["limit"]);
    goOn();
    await desk.run(3);
    expect(desk.asked.length).toBe(2);
    desk.ask(one);
    await desk.run(3);
    expect(desk.reasons).toEqual(["limit", "done", "done", "limit"]);
    expect(desk.answers.at(-1)?.[1]).toMatchObject({
      exceeded: [{ limit: "voxelsPerMinute", value: 298, max: 250 }],
    });
  });

  test("[N63] are cancelled when their client stays away for a while", async () => {
    const desk = new Desk();
    let goOn: () => void = () => undefined;
    desk.waits = new Promise((resolve) => {
      goOn = resolve;
    });
    const client = await desk.client(1n);
    desk.ask(client);
    await desk.run(3);
    const [asked] = desk.asked;
    desk.server.kick(5n, "");
    await desk.run(10);
    expect(() => asked?.run.signal.throwIfAborted()).not.toThrow();
    await desk.run(400);
    expect(() => asked?.run.signal.throwIfAborted()).toThrow("the client has left");
    goOn();
    await settle();
  });

  test("say in a dry run what they exceed, and do no more work than they may", async () => {
    const desk = new Desk();
    const client = await desk.client(1n);
    client.requestOperation({ kind: "apply", text: STONE, clipboards: [], isDry: true, isConfirmed: false });
    await desk.run(3);
    expect(desk.answers[0]?.[1]).toMatchObject({
      kind: "done",
      status: "planned",
      count: 0,
      exceeded: [{ limit: "workMax", value: 2e9, max: DEFAULT_OPERATION_LIMITS.workMax }],
    });
  });

  test("are refused by a world on several servers, which has no operations", async () => {
    const desk = new Desk({}, { world: new SampleWorld() });
    desk.ask(await desk.client(1n));
    await desk.run(3);
    expect(desk.answers[0]?.[1]).toMatchObject({
      kind: "refused",
      reason: "world",
      detail: expect.stringContaining("shared by several servers"),
    });
  });
});
