import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { encode } from "@orthant/core/bytes";
import { wire1Codec } from "@orthant/protocol/internal";
import type { Wire1Command } from "@orthant/protocol/wire1";
import { Prng } from "@orthant/testkit";
import { describe, expect, test } from "vitest";
import { Wire1Stage } from "./server-stage.ts";

const SYN = encode(wire1Codec, { kind: "control", control: "syn" });
const ACK = encode(wire1Codec, { kind: "control", control: "ack" });
const HEARTBEAT = encode(wire1Codec, { kind: "control", control: "heartbeat" });
const MIB = 2 ** 20;

/**
 * Returns the CPU time of `act` in milliseconds, which does not depend on other load on the machine. It
 * includes the other threads of this process.
 */
function cpuMs(act: () => void): number {
  const start = process.cpuUsage();
  act();
  const { user, system } = process.cpuUsage(start);
  return (user + system) / 1_000;
}

/** Returns the bytes of the heap that are in use, without garbage. */
function heapBytes(): number {
  setFlagsFromString("--expose-gc");
  runInNewContext("gc")();
  return process.memoryUsage().heapUsed;
}

const CROWD_TICKS = 30;

/** Lets a crowd of addresses join, each with a heartbeat a second. Returns the median time of a tick. */
function crowd(count: number): { readonly stage: Wire1Stage; readonly tickMs: number } {
  const limits = {
    wire1SessionsMax: 10_000,
    wire1SessionsPerAddress: 10_000,
    wire1HandshakesPerSecond: 100_000,
    wire1HandshakesMax: 10_000,
  };
  const stage = new Wire1Stage({ limits });
  const addresses = Array.from({ length: count }, (_, index) => ({ address: "10.0.0.1", port: index + 1 }));
  for (const from of addresses) {
    stage.server.receive(from, SYN);
    stage.server.receive(from, ACK);
  }
  const ticks: number[] = [];
  for (let tick = 0; tick < CROWD_TICKS; tick++) {
    for (const [index, from] of addresses.entries())
      if (index % 10 === tick % 10) stage.server.receive(from, HEARTBEAT);
    stage.time.advance(100);
    const startMs = performance.now();
    stage.server.tick();
    ticks.push(performance.now() - startMs);
  }
  const tickMs = ticks.sort((one, other) => one - other)[CROWD_TICKS >> 1] as number;
  return { stage, tickMs };
}

const setTile = (playerId: number, x: number, y: number, material: number): Uint8Array => {
  const command: Wire1Command = { kind: "setTile", x, y, material };
  return encode(wire1Codec, { kind: "command", playerId, command });
};

describe("an attack on the Wire v1 server", () => {
  test("[W31] an attack with SYNs from 20,000 forged addresses gets at most three times their bytes in answers", async () => {
    const stage = new Wire1Stage();
    let [inBytes, outBytes, worst] = [0, 0, 0];
    for (let port = 1; port <= 20_000; port++) {
      const from = { address: `10.${port >> 16}.${(port >> 8) & 255}.${port & 255}`, port };
      let received = 0;
      stage.listen(from, ({ length }) => {
        received += length;
      });
      for (let repeat = 0; repeat < 1 + (port % 3); repeat++) stage.server.receive(from, SYN);
      const sent = SYN.length * (1 + (port % 3));
      worst = Math.max(worst, received / sent);
      inBytes += sent;
      outBytes += received;
      if (port % 100 === 0) await stage.tick();
    }
    expect(worst).toBe(2);
    expect(outBytes).toBeLessThanOrEqual(3 * inBytes);
    expect(outBytes).toBeGreaterThan(0);
    expect(stage.server.counts.handshakes).toBeLessThanOrEqual(1_024);
    expect(stage.server.counts.sessions).toBe(0);
  });

  test("[W41] a flood of 100,000 datagrams from one session takes less than a second and does not affect others", async () => {
    const stage = new Wire1Stage();
    const [flooder, other] = [await stage.peer(), await stage.peer()];
    const noise = new Prng(5);
    const datagrams = Array.from({ length: 100_000 }, (_, index) => {
      if (index % 3 === 0) return HEARTBEAT;
      return index % 3 === 1 ? setTile(1, index % 64, 0, 3) : noise.bytes(noise.below(40));
    });
    const tookMs = cpuMs(() => {
      for (const datagram of datagrams) flooder.send(datagram);
    });
    other.command({ kind: "setTile", x: -5, y: -5, material: 4 }, 77);
    await stage.tick(5);
    expect(stage.dropped("rate")).toBeGreaterThan(99_000);
    expect(stage.world.state.voxelAt(-5, -5, 0, 0)).toBe(4);
    expect(tookMs).toBeLessThan(1_000);
  });

  test("[W34, W35] a replayed conversation has no effect from another address and a bounded effect from the same one", async () => {
    const stage = new Wire1Stage();
    const victim = await stage.peer();
    const recording = [HEARTBEAT, setTile(9, 3, 3, 5), HEARTBEAT, setTile(9, 4, 3, 5)];
    for (const datagram of recording) victim.send(datagram);
    await stage.tick(5);
    const thief = stage.stranger("10.9.9.9");
    for (let round = 0; round < 2_500; round++) for (const datagram of recording) thief.send(datagram);
    expect([thief.receivedBytes, stage.dropped("stranger")]).toEqual([0, 10_000]);
    const before = stage.world.edits.length;
    for (let round = 0; round < 2_500; round++) for (const datagram of recording) victim.send(datagram);
    await stage.tick(10);
    const made = stage.world.edits.length - before;
    expect(made).toBeLessThanOrEqual(60);
    expect(stage.world.state.voxelAt(3, 3, 0, 0)).toBe(5);
  });

  test("[W34] an attack with 10,000 forged player ids creates only one player", async () => {
    const stage = new Wire1Stage({
      limits: { wire1DatagramsPerSecond: 100_000, wire1DatagramsBurst: 100_000 },
    });
    const peer = await stage.peer();
    for (let playerId = 1; playerId <= 10_000; playerId++) peer.command({ kind: "jump" }, playerId);
    await stage.tick(3);
    expect(stage.sync.players).toHaveLength(1);
    expect(stage.dropped("player")).toBe(9_999);
  });

  test("[W36] coordinates at the ends of their range cause no failure", async () => {
    const stage = new Wire1Stage({
      limits: {
        wire1DatagramsPerSecond: 100_000,
        wire1DatagramsBurst: 100_000,
        editsPerSecond: 5_000,
        editsBurst: 5_000,
      },
    });
    const peer = await stage.peer();
    const prng = new Prng(8);
    const anywhere = (): number =>
      prng.chance(0.5)
        ? prng.pick([-(2 ** 31), 2 ** 31 - 1, -(2 ** 26), 2 ** 26, 2 ** 26 - 1])
        : prng.u32() | 0;
    for (let round = 0; round < 100; round++) {
      for (let count = 0; count < 20; count++) {
        const [chunkX, chunkY] = [anywhere(), anywhere()];
        peer.command({ kind: "loadChunk", chunkX, chunkY });
        peer.command({ kind: "unloadChunk", chunkX: anywhere(), chunkY: anywhere() });
        peer.command({ kind: "setTile", x: anywhere(), y: anywhere(), material: 3 });
      }
      await stage.tick();
    }
    expect(stage.failures).toEqual([]);
    expect(stage.world.edits.length).toBeGreaterThan(100);
  });

  test("[W32, W37] each of 10,000 sessions takes 40 KiB of memory, and a tick takes time in proportion", {
    timeout: 120_000,
  }, async () => {
    const few = crowd(1_000);
    const before = heapBytes();
    const { stage, tickMs } = crowd(12_000);
    const used = heapBytes() - before;
    const { sessions, dropped, sentBytes } = stage.server.counts;
    expect(sessions).toBe(10_000);
    expect(dropped.full).toBe(2_000);
    expect(sentBytes / CROWD_TICKS).toBeLessThan(1.1 * MIB + 20_000 * 4);
    expect(used / sessions).toBeLessThan(40 * 1_024);
    // Ten times the sessions: ten times the work, and a hundred times if each one looked at all others.
    expect(tickMs).toBeLessThan(60 * few.tickMs);
    stage.time.advance(4_000);
    for (let tick = 0; tick < 40; tick++) {
      stage.time.advance(100);
      stage.server.tick();
    }
    expect(stage.server.counts.sessions).toBe(0);
  });
});
