import type { Box } from "@orthant/core";
import { boxBetween, positionsLexicographic } from "@orthant/core/lattice";
import { readWire1Recording, replayWire1, type Wire1Event, Wire1Recorder } from "@orthant/protocol/wire1";
import { codeOf, fromHex, Prng, toHex } from "@orthant/testkit";
import { randomWire1Command } from "@orthant/testkit/messages";
import { describe, expect, test } from "vitest";
import { type RawPeer, TICK_MS, Wire1Stage } from "./server-stage.ts";

const EDITED: Box = boxBetween([-16, -16, 0, 0], [16, 16, 1, 1]);

/** Two events: a tick after 100 ms, then at once the example of docs/formats/wire-v1.md from port 7000. */
const EXAMPLE = "4f573152 01 0064 0100 00 581b 09 010206010a030a0a08";

function eventsIn(recording: Uint8Array): readonly Wire1Event[] {
  return [...readWire1Recording(recording)];
}

/** A stage that records what its peers send. */
class RecordedStage extends Wire1Stage {
  readonly #pieces: Uint8Array[] = [];
  readonly recorder = new Wire1Recorder((bytes) => this.#pieces.push(bytes), this.time.nowMs());

  constructor() {
    super();
    const receive = this.server.receive.bind(this.server);
    this.server.receive = (from, datagram) => {
      this.recorder.datagram(from, datagram, this.time.nowMs());
      receive(from, datagram);
    };
    const tick = this.server.tick.bind(this.server);
    this.server.tick = () => {
      this.recorder.tick(this.time.nowMs());
      tick();
    };
  }

  get recording(): Uint8Array {
    return Buffer.concat(this.#pieces);
  }
}

/** Replays a recording on a new stage. */
async function replayed(recording: Uint8Array): Promise<Wire1Stage> {
  const stage = new Wire1Stage();
  await replayWire1(recording, {
    advance: (ms) => stage.time.advance(ms),
    receive: (from, datagram) => stage.server.receive(from, datagram),
    tick: async () => {
      stage.server.tick();
      stage.sync.tick();
      for (let turn = 0; turn < 10; turn++) await Promise.resolve();
    },
  });
  return stage;
}

function tilesOf({ world }: Wire1Stage): readonly number[] {
  return Array.from(positionsLexicographic(EDITED), ([x, y]) => world.state.voxelAt(x, y, 0, 0));
}

describe("a Wire v1 recording", () => {
  test("[W60, W61] has the bytes that the documentation shows", () => {
    const pieces: Uint8Array[] = [];
    const recorder = new Wire1Recorder((bytes) => pieces.push(bytes), 5_000);
    recorder.tick(5_100.9);
    recorder.datagram({ address: "203.0.113.9", port: 7_000 }, fromHex("010206010a030a0a08"), 5_100.9);
    expect(toHex(Buffer.concat(pieces))).toBe(EXAMPLE.replaceAll(" ", ""));
    expect(eventsIn(fromHex(EXAMPLE))).toEqual([
      { kind: "tick", afterMs: 100 },
      { kind: "datagram", afterMs: 0, address: 0, port: 7_000, datagram: fromHex("010206010a030a0a08") },
    ]);
  });

  test("[W63] carries the fractions of a millisecond over to the next event", () => {
    const pieces: Uint8Array[] = [];
    const recorder = new Wire1Recorder((bytes) => pieces.push(bytes), 5_000.25);
    for (let tick = 1; tick <= 5; tick++) recorder.tick(5_000.25 + tick * 16.6);
    // 16.6, 33.2, 49.8, 66.4 and 83 ms after the beginning.
    expect(toHex(Buffer.concat(pieces))).toBe("4f5731520100100011001000110011");
  });

  test.each([
    ["W60", "other letters", "4f573153 01", "ORT_MAGIC"],
    ["W60", "another version", "4f573152 02", "ORT_VERSION"],
    ["W61", "an event that there is not", "4f573152 01 0200", "ORT_TAG"],
    ["W61", "a datagram longer than any", "4f573152 01 0100 00 581b e4ff03", "ORT_LIMIT"],
    ["W62", "an address that is not the next new one", "4f573152 01 0100 01 581b 00", "ORT_MESSAGE"],
  ] as const)("[%s] is refused with %s", (_rule, _what, hex, code) => {
    expect(codeOf(() => eventsIn(fromHex(hex)))).toBe(code);
  });

  test("[W63] a Wire v1 recording that was cut off yields all complete events before it fails", () => {
    const bytes = fromHex(EXAMPLE);
    const ends = new Map([
      [5, 0],
      [7, 1],
      [bytes.length, 2],
    ]);
    for (let length = 0; length <= bytes.length; length++) {
      const found: Wire1Event[] = [];
      const read = (): void => {
        for (const event of readWire1Recording(bytes.subarray(0, length))) found.push(event);
      };
      const whole = ends.get(length);
      if (whole === undefined) expect(codeOf(read), `${length} bytes`).toBe("ORT_TRUNCATED");
      else read();
      expect(found.length).toBe(whole ?? (length > 7 ? 1 : 0));
    }
  });

  test("[W62] ends when it is full and has no gap", () => {
    const pieces: Uint8Array[] = [];
    const recorder = new Wire1Recorder((bytes) => pieces.push(bytes), 0, 12);
    recorder.tick(1);
    recorder.datagram({ address: "a", port: 1 }, new Uint8Array(100), 1);
    recorder.tick(2);
    expect(eventsIn(Buffer.concat(pieces))).toEqual([{ kind: "tick", afterMs: 1 }]);
  });

  test("[W63] produces the same world and the same commands in each replay", async () => {
    for (let seed = 1; seed <= 2; seed++) {
      const prng = new Prng(seed);
      const original = new RecordedStage();
      const peers: RawPeer[] = [];
      for (let turn = 0; turn < 40; turn++) {
        if (peers.length < 4 && prng.below(10) === 0)
          peers.push(await original.peer(`10.0.0.${prng.below(2)}`));
        for (const peer of peers) {
          const kind = prng.below(4);
          if (kind === 0) peer.say("heartbeat");
          else if (kind === 1) peer.command(randomWire1Command(prng));
          else if (kind === 2) peer.send(prng.bytes(prng.below(40)));
          const [x, y] = [prng.below(32) - 16, prng.below(32) - 16];
          peer.command({ kind: "setTile", x, y, material: 1 + prng.below(9) });
          if (prng.below(5) === 0) original.time.advance(prng.below(TICK_MS));
        }
        await original.tick();
      }
      const [first, second] = [await replayed(original.recording), await replayed(original.recording)];
      expect(tilesOf(first), `seed ${seed}`).toEqual(tilesOf(original));
      expect(new Set(tilesOf(first)).size).toBeGreaterThan(5);
      for (const stage of [first, second]) {
        expect(tilesOf(stage)).toEqual(tilesOf(first));
        expect(stage.commands).toEqual(original.commands);
        expect(stage.server.counts).toEqual(original.server.counts);
      }
    }
  });
});
