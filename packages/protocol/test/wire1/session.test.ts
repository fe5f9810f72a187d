import { encode } from "@orthant/core/bytes";
import { wire1Codec } from "@orthant/protocol/internal";
import type { Wire1Command } from "@orthant/protocol/wire1";
import { describe, expect, test } from "vitest";
import { TICK_MS, Wire1Stage } from "./server-stage.ts";

const SECOND_TICKS = 1_000 / TICK_MS;
const JUMP: Wire1Command = { kind: "jump" };

describe("a Wire v1 session", () => {
  test("[W30] begins when an address answers the server's SYN, not before", async () => {
    const stage = new Wire1Stage();
    const peer = stage.stranger();
    peer.say("syn");
    expect(peer.takeControls()).toEqual(["ack", "syn"]);
    expect(stage.server.counts).toMatchObject({ sessions: 0, handshakes: 1 });
    await stage.tick(5);
    expect(peer.take()).toEqual([]);
    peer.say("ack");
    expect(stage.server.counts).toMatchObject({ sessions: 1, handshakes: 0 });
    await stage.tick();
    expect(peer.takeChunks().length).toBeGreaterThan(0);
  });

  test("[W30] never begins with only an ACK, a HEARTBEAT or a command", async () => {
    const stage = new Wire1Stage();
    const peer = stage.stranger();
    peer.say("ack");
    peer.say("heartbeat");
    peer.command(JUMP);
    await stage.tick();
    expect(peer.take()).toEqual([]);
    expect(stage.dropped("stranger")).toBe(3);
  });

  test("[W30] begins even if the server's first SYN was lost, because later datagrams trigger another", async () => {
    const stage = new Wire1Stage();
    const peer = stage.stranger();
    peer.say("syn");
    peer.take();
    await stage.tick(6);
    peer.say("heartbeat");
    peer.command(JUMP);
    expect(peer.takeControls()).toEqual(["syn"]);
    expect(stage.dropped("unproven")).toBe(1);
    peer.say("ack");
    expect(stage.server.counts.sessions).toBe(1);
  });

  test("[W31] costs nothing in advance: an unproven address gets at most three times its bytes", async () => {
    const stage = new Wire1Stage();
    const peer = stage.stranger();
    const words = ["syn", "syn", "heartbeat", "syn", "heartbeat", "heartbeat", "syn"] as const;
    for (let round = 0; round < 200; round++) {
      const word = words[round % words.length] ?? "syn";
      peer.say(word);
      if (round % 3 === 0) peer.command(JUMP);
      expect(peer.receivedBytes).toBeLessThanOrEqual(3 * peer.sentBytes);
      await stage.tick(round % 7);
      expect(peer.receivedBytes).toBeLessThanOrEqual(3 * peer.sentBytes);
    }
    expect(peer.receivedBytes).toBeGreaterThan(0);
    expect(stage.server.counts.sessions).toBe(0);
  });

  test("[W31] a Wire v1 session that is never proven is dropped after ten seconds", async () => {
    const stage = new Wire1Stage();
    stage.stranger().say("syn");
    await stage.tick(10 * SECOND_TICKS - 1);
    expect(stage.server.counts.handshakes).toBe(1);
    await stage.tick(2);
    expect(stage.server.counts.handshakes).toBe(0);
  });

  test("[W32] receives a HEARTBEAT twice a second", async () => {
    const stage = new Wire1Stage();
    const peer = await stage.peer();
    peer.take();
    for (let second = 0; second < 4; second++) {
      await stage.tick(SECOND_TICKS);
      peer.say("heartbeat");
    }
    expect(peer.takeControls()).toEqual(new Array(8).fill("heartbeat"));
  });

  test.each<[what: string, hex: string]>([
    ["a HEARTBEAT", "01010103"],
    ["an ACK", "01010102"],
    ["a command", "010203010100"],
  ])("[W32] continues as long as anything valid arrives: %s", async (_what, hex) => {
    const stage = new Wire1Stage();
    const peer = await stage.peer();
    for (let round = 0; round < 10; round++) {
      await stage.tick(2 * SECOND_TICKS);
      peer.send(Buffer.from(hex, "hex"));
    }
    expect(stage.server.counts.sessions).toBe(1);
  });

  test("[W32] ends after three seconds without a valid datagram, and the player leaves", async () => {
    const left: bigint[] = [];
    const stage = new Wire1Stage({ rules: { onLeave: ({ player }) => left.push(player.playerId) } });
    const peer = await stage.peer();
    peer.command(JUMP, 7);
    await stage.tick(2);
    expect(stage.sync.players.map(({ playerId }) => playerId)).toEqual([7n]);
    await stage.tick(2 * SECOND_TICKS);
    peer.send(Uint8Array.of(1, 9));
    await stage.tick(SECOND_TICKS);
    expect([stage.server.counts.sessions, stage.sync.players]).toEqual([0, []]);
    expect(left).toEqual([7n]);
  });

  test("[W33] restarts completely after a SYN that the address confirms", async () => {
    const stage = new Wire1Stage();
    const peer = await stage.peer();
    peer.command({ kind: "loadChunk", chunkX: 7, chunkY: 0 });
    await stage.tick(2 * SECOND_TICKS);
    peer.take();
    peer.say("syn");
    expect(peer.takeControls()).toEqual(["ack", "syn"]);
    await stage.tick();
    peer.take();
    peer.say("ack");
    await stage.tick(SECOND_TICKS);
    const positions = new Set(peer.takeChunks().map(({ x, y }) => `${x} ${y}`));
    expect(positions.size).toBe(25);
    expect(positions).not.toContain("7 0");
  });

  test("[W33] does not restart within a second, nor after unconfirmed SYNs", async () => {
    const stage = new Wire1Stage();
    const peer = await stage.peer();
    peer.take();
    peer.say("syn");
    expect(peer.takeControls()).toEqual(["ack"]);
    for (let second = 0; second < 20; second++) {
      await stage.tick(SECOND_TICKS);
      peer.say("heartbeat");
    }
    const [receivedBytes, sentBytes] = [peer.receivedBytes, peer.sentBytes];
    for (let forged = 0; forged < 50; forged++) peer.say("syn");
    await stage.tick();
    expect(peer.receivedBytes - receivedBytes).toBeLessThanOrEqual(2 * (peer.sentBytes - sentBytes));
  });

  test("[W34] speaks only for the player it names first", async () => {
    const stage = new Wire1Stage();
    const peer = await stage.peer();
    peer.command(JUMP, 7);
    await stage.tick(2);
    peer.command({ kind: "attack" }, 8);
    peer.command({ kind: "attack" }, 0);
    await stage.tick();
    expect(stage.commands.map(([{ playerId }, { kind }]) => [playerId, kind])).toEqual([[7n, "jump"]]);
    expect(stage.dropped("player")).toBe(2);
    expect(stage.sync.players).toHaveLength(1);
  });

  test("[W34] cannot take the player of another session until that one is over", async () => {
    const stage = new Wire1Stage();
    const owner = await stage.peer();
    const thief = await stage.peer();
    owner.command(JUMP, 7);
    await stage.tick(2);
    thief.command({ kind: "attack" }, 7);
    expect(stage.dropped("player")).toBe(1);
    for (let second = 0; second < 5; second++) {
      await stage.tick(SECOND_TICKS);
      thief.say("heartbeat");
    }
    thief.command({ kind: "attackBoss" }, 7);
    await stage.tick(3);
    expect(stage.commands.at(-1)?.[1]).toEqual({ kind: "attackBoss" });
  });

  test("[W34] has no effect for player 0 or for a player whom the server refuses", async () => {
    const stage = new Wire1Stage({ banned: 13 });
    const peer = await stage.peer();
    peer.command(JUMP, 0);
    peer.command(JUMP, 13);
    await stage.tick(2);
    expect([stage.commands, stage.sync.players, stage.dropped("player")]).toEqual([[], [], 2]);
  });

  test("[W41] counts each datagram once, and the reasons add up to all of them", async () => {
    const stage = new Wire1Stage({ limits: { wire1DatagramsPerSecond: 1, wire1DatagramsBurst: 12 } });
    const peer = await stage.peer();
    const other = stage.stranger();
    const sent: string[] = [
      "",
      "02",
      "43",
      "0105",
      "010102",
      "010100",
      "0102020101",
      "010203010400",
      "01020401010100",
    ];
    for (const hex of sent) peer.send(Buffer.from(hex, "hex"));
    peer.send(encode(wire1Codec, { kind: "batch", chunks: [] }));
    for (let extra = 0; extra < 5; extra++) peer.say("heartbeat");
    other.say("heartbeat");
    const { taken, dropped } = stage.server.counts;
    expect(dropped).toMatchObject({
      version: 2,
      legacy: 1,
      kind: 1,
      length: 1,
      control: 1,
      command: 1,
      unknownCommand: 1,
      payload: 1,
      direction: 1,
      stranger: 1,
    });
    const total = Object.values(dropped).reduce((sum, count) => sum + count, taken);
    expect(total).toBe(2 + sent.length + 1 + 5 + 1);
    expect(dropped.rate).toBe(3);
    expect(stage.legacy).toEqual([peer.from]);
  });

  test("[W34] ends when the server kicks its player, and the game sees one player leave", async () => {
    let left = 0;
    const stage = new Wire1Stage({ rules: { onLeave: () => left++ } });
    const peer = await stage.peer();
    peer.command(JUMP, 7);
    await stage.tick(2);
    expect(stage.sync.kick(7n, "enough")).toBe(true);
    await stage.tick(2);
    expect([stage.server.counts.sessions, left, stage.failures]).toEqual([0, 1, []]);
  });
});
