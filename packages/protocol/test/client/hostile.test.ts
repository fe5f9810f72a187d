import { encode } from "@orthant/core/bytes";
import { type ServerMessage, serverFrameCodec } from "@orthant/protocol/internal";
import { Prng } from "@orthant/testkit";
import { expect, test } from "vitest";
import {
  blank,
  change,
  entity,
  forget,
  GROUND,
  heartbeat,
  INTEREST,
  patch,
  reset,
  SHAPE,
  SKY,
  TestClient,
  tick,
  WELCOME,
} from "./sample-client.ts";

/** One message of each kind, as a well-behaved server would send it. */
const MESSAGES: readonly ServerMessage[] = [
  WELCOME,
  { ...WELCOME, resumed: true, worldId: 3n },
  { kind: "goodbye", reason: "idle", detail: "", retryAfterMs: undefined },
  heartbeat(3, 1, true),
  patch(1, change(SKY, "generated", tick(1), [[[1, 1, 1, 0], 9]])),
  patch(2, change(SKY, tick(1), undefined, [[[1, 1, 1, 0], 8]])),
  {
    kind: "patch",
    patch: {
      patchSeq: 3,
      changes: [
        {
          ...change(GROUND, "generated", tick(1)),
          edits: [{ chunk: [0, -1, 0, 0], edits: [{ index: 3, block: 4 }] }],
        },
      ],
    },
  },
  blank(1, "generated", SKY, GROUND),
  forget(2, SKY),
  reset(2),
  { kind: "editResults", results: [{ editId: 1, status: "rejected", reason: "rate", detail: "slow down" }] },
  {
    kind: "entities",
    left: [1],
    entered: [entity(2)],
  },
  { kind: "moves", absolute: 0x10, moves: [{ number: 2, steps: [64, -3, 0, 0, 5, 0, 0, -1] }] },
  { kind: "allEntities", entities: [entity(1, [9, 9, 9, 0]), entity(2)] },
  { kind: "game", payload: Uint8Array.of(1, 2, 3) },
];

test("no bytes from a server make a client throw or leave it in an inconsistent state", () => {
  for (let seed = 1; seed <= 150; seed++) {
    const prng = new Prng(seed);
    const client = new TestClient();
    client.sync.setInterest(INTEREST);
    client.sync.setVoxels([{ voxel: [0, -1, 0, 0], block: 9 }]);
    client.connect();
    if (prng.below(4) > 0) client.receive(WELCOME);
    for (let step = 0; step < 40; step++) {
      const count = 1 + prng.below(3);
      const messages = Array.from(
        { length: count },
        () => MESSAGES[prng.below(MESSAGES.length)] as ServerMessage,
      );
      const frame = encode(serverFrameCodec(SHAPE.volume), { number: 1 + prng.below(step + 3), messages });
      client.sync.receive(mutated(frame, prng));
      client.pass(prng.below(400));
      client.sync.replica?.chunkAt([0, -1, 0, 0]);
      expect(client.sync.replica?.voxelAt([1, 1, 1, 0]) === undefined, `seed ${seed}`).toBe(
        client.sync.replica?.clockOf(SKY) === undefined,
      );
      if (client.isClosed) {
        client.sync.disconnected();
        client.connect();
      }
    }
    client.sync.keep();
  }
});

test("a frame cut at any byte ends the connection, and held regions remain", () => {
  const whole = encode(serverFrameCodec(SHAPE.volume), {
    number: 3,
    messages: [patch(2, change(SKY, 0, tick(1), [[[1, 1, 1, 0], 9]]))],
  });
  for (let length = 0; length < whole.length; length++) {
    // A frame may validly end after its number.
    if (length === 1) continue;
    const client = TestClient.joined();
    client.receive(blank(1, "generated", SKY));
    client.sync.receive(whole.subarray(0, length));
    expect(client.isClosed, `cut at ${length}`).toBe(true);
    expect(client.sync.replica?.clockOf(SKY)).toBe(0);
  }
});

test("a stream number at the end of the number range ends the connection", () => {
  const client = TestClient.joined();
  client.receive(reset(Number.MAX_SAFE_INTEGER));
  expect(client.isClosed).toBe(false);
  client.receive(blank(Number.MAX_SAFE_INTEGER, "generated", SKY));
  expect(client.faults.map(({ code }) => code)).toEqual(["ORT_MESSAGE"]);
  expect(client.isClosed).toBe(true);
  client.pass(2_000);
});

test("a client stays consistent when a listener throws", () => {
  const client = new TestClient({
    events: {
      onChange: () => {
        throw new RangeError("a listener's own fault");
      },
    },
  });
  client.connect();
  client.receive(WELCOME);
  expect(() => client.receive(blank(1, "generated", SKY))).toThrow(RangeError);
  expect(client.sync.replica?.clockOf(SKY)).toBe(0);
  expect(client.isClosed).toBe(false);
});

test("a listener may call any method of the client", () => {
  const told: string[] = [];
  const client: TestClient = new TestClient({
    events: {
      onWelcome: () => client.sync.setInterest(INTEREST),
      onRegion: (region, state) => told.push(`${state} ${region}`),
      onChange: () => {
        if (client.sync.openEdits.length < 3) client.sync.setVoxels([{ voxel: [0, 0, 0, 0], block: 9 }]);
      },
    },
  });
  client.connect();
  client.receive(WELCOME);
  client.receive(blank(1, "generated", SKY));
  expect(client.sync.openEdits).toHaveLength(3);
  expect(told).toEqual([`held ${SKY}`]);
});

/** Returns the bytes changed in some places, cut off, or unchanged. */
function mutated(bytes: Uint8Array, prng: Prng): Uint8Array {
  const copy = bytes.slice();
  switch (prng.below(5)) {
    case 0:
      return copy.subarray(0, prng.below(copy.length + 1));
    case 1:
      for (let count = 0; count <= prng.below(4); count++) copy[prng.below(copy.length)] = prng.below(256);
      return copy;
    case 2: {
      const at = prng.below(copy.length);
      copy[at] = (copy[at] ?? 0) ^ (1 << prng.below(8));
      return copy;
    }
    default:
      return copy;
  }
}
