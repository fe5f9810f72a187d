import { setTimeout as delay } from "node:timers/promises";
import type { Box, Position } from "@orthant/core";
import { encode, encodeUtf8 } from "@orthant/core/bytes";
import { cubeAt, positionsLexicographic } from "@orthant/core/lattice";
import { CLOCK_NEVER } from "@orthant/core/tree";
import { type ClientMessage, clientFrameCodec, PROTOCOL_VERSION } from "@orthant/protocol/internal";
import { issueToken } from "@orthant/server";
import { type Attack, expectEqual, expectSoon, times } from "./attack.ts";
import {
  Attacker,
  edit,
  editResultsOn,
  placement,
  randomId,
  type Target,
  type VoxelsMessage,
} from "./attacker.ts";
import { helloOf, interestOf } from "./hostile-frames.ts";
import { AUDIENCE, SECRET, SLOW_NAME } from "./target-settings.ts";

const FAR = 2 ** 40;
const HERE = cubeAt([-4, -4, -4, -4], 8);
/** A costly interest for a client without generators: each chunk has to be sent. */
const WIDE = cubeAt([-8, -8, -8, -8], 16);
const FOREIGN_GENERATORS: readonly bigint[] = [7n];
const KEEP_ALIVE_MS = 500;
/** Two counters, the tag and the magic letters come before it. */
const VERSION_OFFSET = 2 + 1 + 4;

/** Well-formed messages that are too many, too large, too old or not allowed for this sender. */
export const MESSAGE_ATTACKS: readonly Attack[] = [
  {
    name: "a flood of edits",
    counted: { "edit rate": 1, "edit tooMany": 1 },
    async run(target) {
      const attacker = await Attacker.join(target);
      const batch = (from: number, count: number): readonly VoxelsMessage[] =>
        Array.from({ length: count }, (_, index) => edit(from + index, [index % 8, 0, 0, 0], 1));
      // All at once first; then as many as may be open, again and again. The server takes them one after the other.
      attacker.sendMessages(...batch(1, 400));
      await expectSoon("all edit results", editResultsOn(attacker, 400));
      for (let more = 1; more <= 5; more++) {
        attacker.sendMessages(...batch(401, 60));
        await expectSoon("more edit results", editResultsOn(attacker, 400 + more));
      }
      attacker.end();
    },
  },
  {
    name: "edits that are too large, too far, of nothing or not allowed",
    counted: { "edit tooLarge": 2, "edit reach": 1, "edit block": 1, "edit role": 1 },
    async run(target) {
      const attacker = await Attacker.join(target);
      const wide: VoxelsMessage["placements"] = Array.from({ length: 4_096 }, (_, index) => ({
        voxel: [index * 64, index % 7, 0, 0],
        block: 1,
      }));
      attacker.sendMessages({ kind: "voxels", editId: 1, placements: wide });
      attacker.sendMessages(
        {
          kind: "voxels",
          editId: 2,
          placements: [placement([0, 0, 0, 0], 1), placement([FAR, FAR, FAR, FAR], 1)],
        },
        edit(3, [FAR, 0, 0, 0], 1),
        edit(4, [0, 0, 0, 0], 65_535),
      );
      await expectSoon("all edit results", editResultsOn(attacker, 4));
      attacker.end();
      const claims = { playerId: randomId(), role: "viewer", expiresInSeconds: 60 } as const;
      const token = encodeUtf8(await issueToken(claims, { secret: SECRET, audience: AUDIENCE }));
      const viewer = await Attacker.join(target, { token });
      viewer.sendMessages(edit(1, [0, 0, 0, 0], 1));
      await expectSoon("an edit result", editResultsOn(viewer, 1));
      viewer.end();
    },
  },
  {
    name: "interests that are too large, too far or too many",
    counted: { "limit interestRegionsMax": 2, "limit chunkCoordinateMax": 1, "limit interestsPerSecond": 1 },
    async run(target) {
      const seven = (index: number): Box => cubeAt([index * 64, 0, 0, 0], 28);
      const interests: readonly (readonly ClientMessage[])[] = [
        [interestOf(1, [cubeAt([0, 0, 0, 0], 40)])],
        [interestOf(1, [seven(0), seven(1)])],
        [interestOf(1, [cubeAt([2 ** 30, 0, 0, 0], 4)])],
        Array.from({ length: 50 }, (_, index) => interestOf(index + 1, [HERE])),
      ];
      for (const messages of interests) {
        const attacker = await Attacker.join(target);
        attacker.sendMessages(...messages);
        await expectSoon("closing", attacker.closed);
        expectEqual("the goodbye", attacker.goodbye?.reason, "limit");
      }
    },
  },
  {
    name: "floods of frames, bytes and a game's messages",
    counted: { "limit framesPerSecond": 1, "limit bytesPerSecond": 1, "limit gameMessagesPerSecond": 1 },
    async run(target) {
      const game = (bytes: number): ClientMessage => ({ kind: "game", payload: new Uint8Array(bytes) });
      const clientId = randomId();
      const hellos = Array.from({ length: 15 }, () => helloOf(clientId, { token: new Uint8Array(4_096) }));
      const floods: readonly (readonly [frames: number, messages: readonly ClientMessage[]])[] = [
        [500, []],
        [10, hellos],
        [1, Array.from({ length: 100 }, () => game(1))],
      ];
      for (const [frames, messages] of floods) {
        const attacker = await Attacker.join(target, { clientId });
        for (let frame = 0; frame < frames; frame++) attacker.sendMessages(...messages);
        await expectSoon("closing", attacker.closed);
        expectEqual("the goodbye", attacker.goodbye?.reason, "limit");
      }
    },
  },
  {
    name: "much before the welcome",
    counted: { "limit bytesBeforeWelcome": 1 },
    async run(target) {
      const attacker = await Attacker.connect(target);
      const hello = helloOf(randomId(), { name: SLOW_NAME });
      for (let frame = 0; frame < 4; frame++)
        attacker.sendMessages(...Array.from({ length: 1_000 }, () => hello));
      await expectSoon("closing", attacker.closed);
      expectEqual("the goodbye", attacker.goodbye?.detail, "bytesBeforeWelcome is 65536");
    },
  },
  {
    name: "names that terminals, logs and pages act on",
    counted: { "goodbye malformed": 5 },
    async run(target) {
      for (const name of ["\u001b[2J", "a\0", "a\nb joined", "\u202egnorw", "\u3164"]) {
        await isToldGoodbye(await Attacker.connect(target), [helloOf(randomId(), { name })], "malformed");
      }
    },
  },
  {
    name: "other versions, features and orders",
    counted: { "goodbye version": 1, "goodbye features": 1, "goodbye malformed": 3 },
    async run(target) {
      const newer = await Attacker.connect(target);
      const hello = encode(clientFrameCodec, {
        acknowledged: 0,
        applied: 0,
        messages: [helloOf(randomId())],
      });
      hello[VERSION_OFFSET] = PROTOCOL_VERSION + 1;
      newer.send(hello);
      await expectSoon("closing", newer.closed);
      expectEqual("the goodbye", newer.goodbye?.reason, "version");
      const said: readonly (readonly [messages: readonly ClientMessage[], reason: string])[] = [
        [[helloOf(randomId(), { featureBits: 1n << 40n })], "features"],
        [[edit(1, [0, 0, 0, 0], 1)], "malformed"],
      ];
      for (const [messages, reason] of said)
        await isToldGoodbye(await Attacker.connect(target), messages, reason);
      await isToldGoodbye(await Attacker.join(target), [helloOf(randomId())], "malformed");
      await isToldGoodbye(
        await Attacker.join(target),
        [{ kind: "resync", expected: 9_999, regions: [] }],
        "malformed",
      );
    },
  },
  {
    name: "old messages of another player",
    counted: { "goodbye replaced": 1, "goodbye malformed": 1, "goodbye credentials": 1 },
    run: replay,
  },
  {
    name: "storms of resyncs",
    counted: { "edit rate": 0 },
    waits: true,
    async run(target) {
      const attacker = await Attacker.join(target, { generators: FOREIGN_GENERATORS });
      attacker.sendMessages(interestOf(1, [HERE]));
      await expectSoon(
        "all regions",
        attacker.waitFor((message) => message.kind === "heartbeat" && message.complete),
      );
      const regions = [...positionsLexicographic(cubeAt([-1, -1, -1, -1], 2))].map((region) => ({
        region,
        clock: CLOCK_NEVER,
      }));
      const before = attacker.receivedBytes;
      for (let storm = 0; storm < 100; storm++) {
        attacker.sendMessages({ kind: "resync", expected: 1, regions });
        await delay(20);
      }
      await delay(1_000);
      expectEqual("the goodbye", attacker.goodbye, undefined);
      const bytes = attacker.receivedBytes - before;
      // Without a limit it would be sixteen regions of 256 chunks each, a hundred times.
      if (bytes > before * 40)
        throw new Error(`${bytes} bytes for a storm of resyncs where a join takes ${before}`);
      attacker.end();
    },
  },
  {
    name: "clients that never read",
    counted: { "goodbye slow": 3 },
    waits: true,
    run: (target) =>
      times(3, async () => {
        const attacker = await Attacker.join(target, { generators: FOREIGN_GENERATORS });
        attacker.sendMessages(interestOf(1, [WIDE]));
        // It stops acknowledging, and does not read.
        attacker.socket.pause();
        const sayHello = setInterval(() => attacker.sendMessages(), KEEP_ALIVE_MS);
        await delay(6_000);
        clearInterval(sayHello);
        attacker.socket.resume();
        await expectSoon("closing", attacker.closed);
      }),
  },
];

async function isToldGoodbye(
  attacker: Attacker,
  messages: readonly ClientMessage[],
  reason: string,
): Promise<void> {
  attacker.sendMessages(...messages);
  await expectSoon("closing", attacker.closed);
  expectEqual("the goodbye", attacker.goodbye?.reason, reason);
}

/** Replays a client's messages: during its connection, after it, and as another player. */
async function replay(target: Target): Promise<void> {
  const clientId = randomId();
  const victim = await Attacker.join(target, { clientId });
  const voxel: Position = [40, 40, 40, 40];
  const first = edit(1, voxel, 1);
  victim.sendMessages(first, edit(2, voxel, 2));
  await expectSoon("both edit results", editResultsOn(victim, 2));
  const recorded = [
    encode(clientFrameCodec, { acknowledged: 0, applied: 0, messages: [helloOf(clientId)] }),
    encode(clientFrameCodec, { acknowledged: 0, applied: 0, messages: [first] }),
  ];
  const replayer = await Attacker.connect(target);
  for (const frame of recorded.slice(0, 1)) replayer.send(frame);
  await expectSoon("the victim's goodbye", victim.closed);
  expectEqual("the goodbye", victim.goodbye?.reason, "replaced");
  await expectSoon(
    "a welcome",
    replayer.waitFor(({ kind }) => kind === "welcome"),
  );
  replayer.sendMessages(interestOf(1, [cubeAt([5, 5, 5, 5], 1)]), first);
  await expectSoon("the old edit result", editResultsOn(replayer, 1));
  // An edit is made once, even if another connection sends it again.
  const observer = await Attacker.join(target);
  observer.sendMessages(edit(1, voxel, 2));
  await expectSoon("an edit result", editResultsOn(observer, 1));
  const result = observer.messages.flatMap((message) =>
    message.kind === "editResults" ? message.results : [],
  )[0];
  expectEqual("the voxel's last edit", result?.status, "unchanged");
  observer.end();
  // Knowing a client's id does not give access, and old frame numbers are invalid on a new connection.
  const claims = { playerId: randomId(), role: "builder", expiresInSeconds: 60 } as const;
  const token = encodeUtf8(await issueToken(claims, { secret: SECRET, audience: AUDIENCE }));
  const other = await Attacker.join(target, { clientId, token });
  await expectSoon("closing", other.closed);
  expectEqual("the goodbye", other.goodbye?.reason, "credentials");
  replayer.send(encode(clientFrameCodec, { acknowledged: 5_000, applied: 4_000, messages: [] }));
  await expectSoon("closing", replayer.closed);
  expectEqual("the goodbye", replayer.goodbye?.reason, "malformed");
}
