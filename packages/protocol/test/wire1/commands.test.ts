import { Prng } from "@orthant/testkit";
import { randomWire1Command } from "@orthant/testkit/messages";
import { describe, expect, test } from "vitest";
import { TICK_MS, Wire1Stage } from "./server-stage.ts";

const SECOND_TICKS = 1_000 / TICK_MS;

describe("a tile that a session sets", () => {
  test("[W35] is an edit by its player that all players see", async () => {
    const edits: unknown[] = [];
    const stage = new Wire1Stage({
      rules: {
        beforeEdit: ({ player, edit }) => {
          edits.push([player.playerId, edit]);
          return undefined;
        },
      },
    });
    const [builder, other] = [await stage.peer(), await stage.peer()];
    builder.command({ kind: "setTile", x: -1, y: 40, material: 7 }, 5);
    await stage.tick(5);
    expect(stage.world.state.voxelAt(-1, 40, 0, 0)).toBe(7);
    expect(edits).toEqual([[5n, { kind: "voxels", placements: [{ voxel: [-1, 40, 0, 0], block: 7 }] }]]);
    for (const peer of [builder, other]) {
      const last = peer
        .takeChunks()
        .filter(({ x, y }) => x === -1 && y === 1)
        .at(-1);
      expect(last?.tiles[8 * 32 + 31]).toBe(7);
    }
  });

  test.each<[why: string, options: ConstructorParameters<typeof Wire1Stage>[0], material: number]>([
    ["by a viewer", { role: "viewer" }, 3],
    ["of a material that the world lacks", {}, 60_000],
    ["out of reach", { rules: { canReach: () => false } }, 3],
    ["against the rules", { rules: { beforeEdit: () => ({ reject: "not here" }) } }, 3],
  ])("[W35, W38] is refused %s, and the chunk is sent again", async (_why, options, material) => {
    const stage = new Wire1Stage(options);
    const peer = await stage.peer();
    for (let second = 0; second < 20; second++) {
      await stage.tick(SECOND_TICKS);
      peer.say("heartbeat");
    }
    const before = stage.world.state;
    peer.take();
    peer.command({ kind: "setTile", x: 2, y: 2, material });
    await stage.tick(8);
    expect(stage.world.state).toBe(before);
    expect(peer.takeChunks().some(({ x, y }) => x === 0 && y === 0)).toBe(true);
  });

  test("[W35] is refused outside the world", async () => {
    const stage = new Wire1Stage({ limits: { chunkCoordinateMax: 1 } });
    const peer = await stage.peer();
    const before = stage.world.state;
    peer.command({ kind: "setTile", x: 64, y: 0, material: 3 });
    await stage.tick(5);
    expect(stage.world.state).toBe(before);
  });

  test("[W35] counts against the edit rate of its player, and travels with others when there are many", async () => {
    const stage = new Wire1Stage({ limits: { editsPerSecond: 0.001, editsBurst: 2, editVoxelsMax: 6 } });
    const peer = await stage.peer();
    for (let x = 0; x < 20; x++) peer.command({ kind: "setTile", x, y: 0, material: 3 });
    await stage.tick(20);
    const made = Array.from({ length: 20 }, (_, x) => stage.world.state.voxelAt(x, 0, 0, 0));
    expect(made.filter((material) => material === 3)).toHaveLength(6);
  });

  test("[W35] waits for its result, and at most 60 wait", async () => {
    const stage = new Wire1Stage();
    const peer = await stage.peer();
    for (let x = 0; x < 70; x++) peer.command({ kind: "setTile", x, y: 0, material: 3 });
    expect(stage.dropped("rate")).toBe(10);
  });

  test("[W35] may be anywhere that a message can address", async () => {
    const stage = new Wire1Stage();
    const peer = await stage.peer();
    for (const x of [2 ** 31 - 1, -(2 ** 31)]) peer.command({ kind: "setTile", x, y: x, material: 3 });
    await stage.tick(5);
    expect(stage.world.state.voxelAt(2 ** 31 - 1, 2 ** 31 - 1, 0, 0)).toBe(3);
    expect(stage.world.state.voxelAt(-(2 ** 31), -(2 ** 31), 0, 0)).toBe(3);
    expect(stage.failures).toEqual([]);
  });
});

describe("a game command", () => {
  test("[W40] reaches the game with its fields and changes nothing by itself", async () => {
    const stage = new Wire1Stage({ limits: { gameMessagesPerSecond: 1_000 } });
    const peer = await stage.peer();
    peer.command({ kind: "jump" }, 9);
    await stage.tick(3);
    const before = stage.world.state;
    const seen: unknown[] = [];
    for (let seed = 0; seed < 200; seed++) {
      const command = randomWire1Command(new Prng(seed));
      if (["setTile", "loadChunk", "unloadChunk"].includes(command.kind)) continue;
      peer.command(command, 9);
      await stage.tick();
      seen.push([{ playerId: 9n, role: "builder", name: "player 9" }, command]);
    }
    expect(stage.commands.slice(1)).toEqual(seen);
    expect(stage.world.state).toBe(before);
  });

  test("[W40] waits until its player has joined", async () => {
    const order: string[] = [];
    const stage = new Wire1Stage({
      rules: { onJoin: () => order.push("joined") },
      onCommand: (_player, { kind }) => order.push(kind),
    });
    const peer = await stage.peer();
    peer.command({ kind: "attack" });
    peer.command({ kind: "craftRecipe", recipe: 2 });
    await stage.tick(3);
    expect(order).toEqual(["joined", "attack", "craftRecipe"]);
  });

  test("[W40] reaches the game once per tick, however often it is sent", async () => {
    const stage = new Wire1Stage();
    const peer = await stage.peer();
    for (let frame = 0; frame < 6; frame++) {
      peer.command({ kind: "motionInput", axisMilli: 500, jumps: false });
      peer.command({ kind: "pickupProbe", x: 1, y: 2 });
    }
    await stage.tick(2);
    peer.command({ kind: "motionInput", axisMilli: 500, jumps: false });
    await stage.tick();
    expect(stage.commands.map(([, { kind }]) => kind)).toEqual(["motionInput", "pickupProbe", "motionInput"]);
    expect(stage.dropped("repeated")).toBe(10);
  });

  test("[W40] counts against the rate of game messages", async () => {
    const stage = new Wire1Stage({ limits: { gameMessagesPerSecond: 10 } });
    const peer = await stage.peer();
    peer.command({ kind: "jump" });
    await stage.tick(20);
    for (let recipe = 0; recipe < 40; recipe++) peer.command({ kind: "craftRecipe", recipe });
    expect([stage.commands.length, stage.dropped("rate")]).toEqual([11, 30]);
  });

  test("[W40] may move its player, and reach is measured from the new position", async () => {
    const stage = new Wire1Stage({
      rules: { canReach: ({ player, voxel: [x] }) => Math.abs(player.position[0] - x) < 10 },
      onCommand: (_player, command, hand) => {
        if (command.kind === "pickupProbe") {
          hand.move({ position: [command.x, command.y, 0, 0], orientation: [0, 0, 0, 1] });
        }
      },
    });
    const peer = await stage.peer();
    peer.command({ kind: "setTile", x: 60, y: 0, material: 3 });
    await stage.tick(5);
    expect(stage.world.state.voxelAt(60, 0, 0, 0)).not.toBe(3);
    peer.command({ kind: "pickupProbe", x: 58, y: 0 });
    await stage.tick(3);
    peer.command({ kind: "setTile", x: 60, y: 0, material: 3 });
    await stage.tick(5);
    expect(stage.world.state.voxelAt(60, 0, 0, 0)).toBe(3);
    expect(stage.sync.players[0]?.position).toEqual([58, 0, 0, 0]);
  });

  test("[W40] a game command that makes the game throw is reported and affects no other player", async () => {
    const stage = new Wire1Stage({
      onCommand: () => {
        throw new Error("a bug of the game's");
      },
    });
    const peer = await stage.peer();
    peer.command({ kind: "jump" });
    await stage.tick(3);
    peer.command({ kind: "attack" });
    await stage.tick();
    expect(stage.failures).toHaveLength(2);
    expect(stage.server.counts.sessions).toBe(1);
  });
});
