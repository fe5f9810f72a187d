import type { Backbone, Journal } from "@orthant/cluster";
import { isOrthantError } from "@orthant/core";
import { expect } from "vitest";
import { textBytes, textOf } from "../base/bytes.ts";
import { codeOfRejection } from "../base/error-code.ts";
import { type OnBackbone, recordOf } from "./backbone-under-test.ts";
import { Gathered } from "./gathered.ts";

const LONG_MS = 10_000;
const BRIEF_MS = 200;

/** Tests the guarantees of a backbone for following, requests and broadcasts. */
export function describeBackboneMessages(on: OnBackbone): void {
  describeFollow(on);
  describeRequests(on);

  on("broadcasts to all listeners until they end", async ({ connect }, name) => {
    const backbones = [await connect(), await connect()];
    const [teller] = backbones;
    const heard = backbones.map(() => new Gathered<string>());
    const [ended] = await Promise.all(
      backbones.map((backbone, index) => backbone.listen(name, (bytes) => heard[index]?.take(textOf(bytes)))),
    );
    while (heard.some(({ items }) => items.length === 0)) {
      teller?.broadcast(name, textBytes("hello"));
      await teller?.table.get(name);
    }
    ended?.end();
    const before = heard[0]?.items.length;
    teller?.broadcast(`${name}.other`, textBytes("elsewhere"));
    teller?.broadcast(name, textBytes("again"));
    await heard[1]?.until((items) => items.includes("again"));
    expect(heard[0]?.items.length).toBe(before);
    expect(new Set(heard[1]?.items)).toEqual(new Set(["hello", "again"]));
  });

  on("broadcasts in order, and the same bytes to all", async ({ connect }, name) => {
    const [teller, listener] = [await connect(), await connect()];
    const heard = new Gathered<string>();
    await listener.listen(name, (bytes) => {
      heard.take(textOf(bytes));
      bytes.fill(0);
    });
    const own = new Gathered<string>();
    await teller.listen(name, (bytes) => own.take(textOf(bytes)));
    while (heard.items.length === 0 || own.items.length === 0) {
      teller.broadcast(name, textBytes("warm"));
      await teller.table.get(name);
    }
    const told = Array.from({ length: 100 }, (_, index) => `${index}`);
    for (const text of told) teller.broadcast(name, textBytes(text));
    for (const gathered of [heard, own]) {
      await gathered.until((items) => items.includes("99"));
      expect(gathered.items.filter((text) => text !== "warm")).toEqual(told);
    }
  });

  on("rejects every call after close", async ({ connect }, name) => {
    const backbone = await connect();
    const journal = await backbone.journal(name, "1");
    await backbone.close();
    expect(await codeOfRejection(() => backbone.table.get(name))).toBe("ORT_CLOSED");
    expect(await codeOfRejection(() => backbone.table.put(name, textBytes("x")))).toBe("ORT_CLOSED");
    expect(await codeOfRejection(() => backbone.journal(name, "1"))).toBe("ORT_CLOSED");
    expect(await codeOfRejection(() => journal.append([recordOf("x")], 0))).toBe("ORT_CLOSED");
    expect(await codeOfRejection(() => backbone.request(name, textBytes("x"), LONG_MS))).toBe("ORT_CLOSED");
    expect(await codeOfRejection(() => backbone.listen(name, ignore))).toBe("ORT_CLOSED");
    expect(() => backbone.broadcast(name, textBytes("x"))).not.toThrow();
    await backbone.close();
  });
}

function describeFollow(on: OnBackbone): void {
  on("delivers records about a sector, of every shard, after they are stored", async ({ connect }, world) => {
    const [writer, follower] = [await connect(), await connect()];
    const shards = await Promise.all(["1", "2"].map((shard) => writer.journal(world, shard)));
    const [one, two] = shards;
    const seen = await followWarm(follower, world, shards);
    const last = (await one?.state())?.last ?? 0;
    await one?.append([recordOf("a", "0", "1_1"), recordOf("b", "other sector"), recordOf("control")], last);
    await seen.until((items) => items.length === 1);
    await two?.append([recordOf("c", "0", "1_1")], (await two.state()).last);
    await seen.until((items) => items.length === 2);
    await one?.append([recordOf("never", "0", "1_1")], last + 1);
    await one?.append([recordOf("d", "0", "2_2"), recordOf("e", "0", "1_1")], last + 3);
    await seen.until((items) => items.length === 4);
    expect(seen.items).toEqual(["a", "c", "d", "e"]);
  });

  on(
    "delivers nothing after a subscription ends, and other subscriptions continue",
    async ({ connect }, world) => {
      const backbone = await connect();
      const journal = await backbone.journal(world, "1");
      const ended = new Gathered<string>();
      const subscription = await backbone.follow(world, "0", (bytes) => ended.take(textOf(bytes)));
      const going = await followWarm(backbone, world, [journal]);
      const { last } = await journal.state();
      await journal.append([recordOf("a", "0")], last);
      await going.until((items) => items.length === 1);
      await ended.until((items) => items.includes("a"));
      subscription.end();
      const before = ended.items.length;
      await journal.append([recordOf("b", "0")], last + 1);
      await going.until((items) => items.length === 2);
      expect(ended.items).toHaveLength(before);
    },
  );
}

/** Follows the sector `0` from when every journal has delivered, since distant nodes learn of it late. */
async function followWarm(
  backbone: Backbone,
  world: string,
  journals: readonly Journal[],
): Promise<Gathered<string>> {
  const warm = new Set<string>();
  const seen = new Gathered<string>();
  await backbone.follow(world, "0", (bytes) => {
    const text = textOf(bytes);
    if (text.startsWith("warm")) warm.add(text);
    else seen.take(text);
  });
  while (warm.size < journals.length) {
    for (const [index, journal] of journals.entries())
      await journal.append([recordOf(`warm ${index}`, "0")], (await journal.state()).last);
  }
  return seen;
}

function describeRequests(on: OnBackbone): void {
  on("carries many requests and answers at once", async ({ connect }, name) => {
    const [asker, owner] = [await connect(), await connect()];
    await owner.respond(name, async (request) => textBytes(`${textOf(request)}!`));
    await askUntilAnswered(asker, name);
    const requests = Array.from({ length: 50 }, (_, index) => `${index}`);
    const answers = await Promise.all(requests.map((text) => asker.request(name, textBytes(text), LONG_MS)));
    expect(answers.map(textOf)).toEqual(requests.map((text) => `${text}!`));
  });

  on(
    "rejects a request without a responder: before one responds, and after it ended",
    async ({ connect }, name) => {
      const [asker, owner] = [await connect(), await connect()];
      expect(await codeOfRejection(() => asker.request(name, textBytes("?"), LONG_MS))).toBe(
        "ORT_BACKBONE_NO_RESPONDER",
      );
      const subscription = await owner.respond(name, async () => textBytes("here"));
      expect(await askUntilAnswered(asker, name)).toBe("here");
      subscription.end();
      let code = "no error";
      while (code === "no error")
        code = await codeOfRejection(() => asker.request(name, textBytes("?"), BRIEF_MS));
      while (code === "ORT_BACKBONE_AWAY")
        code = await codeOfRejection(() => asker.request(name, textBytes("?"), BRIEF_MS));
      expect(code).toBe("ORT_BACKBONE_NO_RESPONDER");
    },
  );

  on("leaves the outcome of an unanswered request unknown", async ({ connect }, name) => {
    const [asker, owner] = [await connect(), await connect()];
    const asked = new Gathered<string>();
    await owner.respond(`${name}.silent`, async (request) => {
      asked.take(textOf(request));
      return new Promise<Uint8Array>(ignore);
    });
    await owner.respond(`${name}.failing`, () => Promise.reject(new Error("on purpose")));
    const codes: string[] = [];
    for (const address of [`${name}.silent`, `${name}.failing`]) {
      let code = "ORT_BACKBONE_NO_RESPONDER";
      while (code === "ORT_BACKBONE_NO_RESPONDER") {
        code = await codeOfRejection(() => asker.request(address, textBytes("?"), BRIEF_MS));
      }
      codes.push(code);
    }
    expect(codes).toEqual(["ORT_BACKBONE_AWAY", "ORT_BACKBONE_AWAY"]);
    expect(asked.items).toEqual(["?"]);
  });

  on("uses the first answer when a stopped node still responds", async ({ connect }, name) => {
    const [asker, zombie, owner] = [await connect(), await connect(), await connect()];
    await zombie.respond(name, () => new Promise<Uint8Array>(ignore));
    await owner.respond(name, async () => textBytes("owner"));
    while ((await codeOfRejection(() => asker.request(name, textBytes("?"), BRIEF_MS))) !== "no error");
    for (let round = 0; round < 10; round++) {
      expect(textOf(await asker.request(name, textBytes("?"), LONG_MS))).toBe("owner");
    }
  });
}

/** Retries because distant nodes learn of a responder late. */
async function askUntilAnswered(asker: Backbone, address: string): Promise<string> {
  for (;;) {
    try {
      return textOf(await asker.request(address, textBytes("?"), LONG_MS));
    } catch (error) {
      if (!isOrthantError(error, "ORT_BACKBONE_NO_RESPONDER")) throw error;
    }
  }
}

function ignore(): undefined {
  return undefined;
}
