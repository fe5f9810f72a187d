import { type Box, CUBE_CHUNKS, PIXEL_CHUNKS, type Position } from "@orthant/core";
import { boxAt, boxBetween } from "@orthant/core/lattice";
import { codeOf, codeOfRejection } from "@orthant/testkit";
import { describe, expect, test } from "vitest";
import { ScriptedServer, settled } from "./scripted-server.ts";

const AROUND_ORIGIN = { boxes: [boxBetween([0, 0, 0, 0], [4, 4, 4, 4])] };

describe("reading", () => {
  test("waits for a position in the interest, and answers at once when it is held", async () => {
    const server = new ScriptedServer({ interest: { boxes: [boxBetween([0, -4, 0, 0], [4, 4, 4, 4])] } });
    await server.join();
    const { world } = server;
    let answer: number | undefined;
    const asked = world.get([1, -1, 1, 1]).then((block) => {
      answer = block;
    });
    const tree = world.region(boxBetween([0, -1, 0, 0], [1, 1, 1, 1]));
    await settled();
    expect(answer).toBeUndefined();
    expect(world.voxelAt([1, -1, 1, 1])).toBeUndefined();
    expect(world.chunkAt([0, -1, 0, 0])).toBeUndefined();
    server.sayGenerated([
      [0, -1, 0, 0],
      [0, 0, 0, 0],
    ]);
    await asked;
    expect(answer).toBe(world.voxelAt([1, -1, 1, 1]));
    expect(answer).not.toBe(0);
    expect(world.voxelAt([1, 20, 1, 1])).toBe(0);
    const below = await world.chunk([0, -1, 0, 0]);
    expect(below.isEmpty).toBe(false);
    expect(world.chunkAt([0, -1, 0, 0])?.equals(below)).toBe(true);
    expect((await tree).at(0, -1, 0, 0)).toEqual(below);
  });

  test("is refused outside the interest, before one is set, and when it moves on", async () => {
    const server = new ScriptedServer();
    await server.join();
    const { world } = server;
    expect(await codeOfRejection(world.get([0, 0, 0, 0]))).toBe("ORT_NOT_HELD");
    expect(await codeOfRejection(world.complete())).toBe("ORT_NOT_HELD");
    world.setInterest(AROUND_ORIGIN);
    expect(await codeOfRejection(world.get([32, 0, 0, 0]))).toBe("ORT_NOT_HELD");
    expect(await codeOfRejection(world.region(boxBetween([0, 0, 0, 0], [5, 1, 1, 1])))).toBe("ORT_NOT_HELD");
    const waiting = world.chunk([0, 0, 0, 0]);
    await settled();
    world.setInterest({ boxes: [boxBetween([8, 8, 8, 8], [9, 9, 9, 9])] });
    expect(await codeOfRejection(waiting)).toBe("ORT_NOT_HELD");
  });

  test("continues while the connection is lost", async () => {
    const server = new ScriptedServer({ interest: AROUND_ORIGIN });
    await server.join();
    server.sayGenerated([[0, 0, 0, 0]]);
    server.socket.lose();
    expect(server.world.status).toBe("waiting");
    expect(await server.world.get([0, 0, 0, 0])).toBe(server.world.voxelAt([0, 0, 0, 0]));
    await server.world.close();
    expect(server.world.voxelAt([0, 0, 0, 0])).toBeDefined();
  });
});

describe("an interest", () => {
  test("around a point requests the chunks within the radius, on the axes of the world", async () => {
    const interest = async (shape: typeof CUBE_CHUNKS): Promise<readonly Box[]> => {
      const server = new ScriptedServer({ interest: { center: [-1, 0.5, 33, 0], radiusChunks: 2 } });
      await server.join({ shape });
      await server.pass(50);
      const sent = server.received().find((message) => message.kind === "interest");
      return sent?.kind === "interest" ? sent.boxes : [];
    };
    expect(await interest(CUBE_CHUNKS)).toEqual([boxBetween([-3, -2, 0, 0], [2, 3, 5, 1])]);
    expect(PIXEL_CHUNKS.extents.slice(2)).toEqual([1, 1]);
    const [flat] = await interest(PIXEL_CHUNKS);
    expect([flat?.min[2], flat?.max[2], flat?.min[3], flat?.max[3]]).toEqual([0, 1, 0, 1]);
  });

  test("is sent to the server only when it changes", async () => {
    const server = new ScriptedServer({ interest: { center: [0, 0, 0, 0], radiusChunks: 1 } });
    await server.join();
    await server.pass(300);
    server.say({ kind: "heartbeat", interestId: 1, complete: false, sent: 0 });
    const asked = async (x: number, motion: Position): Promise<number> => {
      server.world.setInterest({ center: [x, 0, 0, 0], radiusChunks: 1, motion });
      await server.pass(300);
      return server.received().filter(({ kind }) => kind === "interest").length;
    };
    server.received();
    expect(await asked(3.5, [0, 0, 0, 0])).toBe(0);
    expect(await asked(3.5, [0, 2, 0, 0])).toBe(1);
    expect(await asked(8, [0, 2, 0, 0])).toBe(1);
  });

  test("reports when everything has arrived, even after the connection was lost", async () => {
    const server = new ScriptedServer({ interest: AROUND_ORIGIN });
    const complete = server.world.complete();
    let isComplete = false;
    const completed = complete.then(() => {
      isComplete = true;
    });
    await server.join();
    await server.pass(50);
    server.say({ kind: "heartbeat", interestId: 1, complete: false, sent: 0 });
    await settled();
    expect(isComplete).toBe(false);
    server.sayGenerated([[0, 0, 0, 0]]);
    await completed;
    await server.world.complete();
    server.socket.lose();
    await server.pass(250);
    const again = server.world.complete();
    await server.join({ resumed: true });
    await server.pass(50);
    server.say({ kind: "heartbeat", interestId: 1, complete: true, sent: 0 });
    await again;
    expect(server.world.voxelAt([0, 0, 0, 0])).toBeDefined();
  });

  test("is refused where no server would grant it", async () => {
    const server = new ScriptedServer();
    await server.join();
    const codeOfInterest = (boxes: readonly Box[]) => codeOf(() => server.world.setInterest({ boxes }));
    expect(codeOfInterest([])).toBe("ORT_LIMIT");
    expect(codeOfInterest(Array.from({ length: 9 }, () => boxAt([0, 0, 0, 0])))).toBe("ORT_LIMIT");
    expect(codeOfInterest([boxBetween([0, 0, 0, 0], [4, 4, 4, 16_384])])).toBe("no error");
    expect(codeOfInterest([boxBetween([0, 0, 0, 0], [4, 4, 4, 16_385])])).toBe("ORT_LIMIT");
    expect(
      codeOfInterest([boxBetween([0, 0, 0, 0], [4, 4, 4, 16_384]), boxBetween([4, 0, 0, 0], [8, 4, 4, 4])]),
    ).toBe("ORT_LIMIT");
    const around = (radiusChunks: number) =>
      codeOf(() => server.world.setInterest({ center: [0, 0, 0, 0], radiusChunks }));
    expect(around(-1)).toBe("ORT_ARGUMENT");
    expect(around(0.5)).toBe("ORT_ARGUMENT");
    expect(codeOf(() => server.world.setInterest({ center: [0, Number.NaN, 0, 0], radiusChunks: 1 }))).toBe(
      "ORT_POSITION_RANGE",
    );
    const far = { boxes: [boxAt([0, 0, 0, 0])], center: [1e300, 0, 0, 0] as const };
    expect(codeOf(() => server.world.setInterest(far))).toBe("ORT_ARGUMENT");
    await server.pass(1000);
    const asked = server.received().filter(({ kind }) => kind === "interest");
    expect(asked.length).toBe(1);
  });

  test("too far before the shape is known closes the client with that error", async () => {
    const server = new ScriptedServer({ interest: { center: [0, 0, 0, 0], radiusChunks: 1000 } });
    await server.join();
    expect(server.reports.at(-1)).toMatchObject(["closed", { error: { code: "ORT_LIMIT" } }]);
  });
});

describe("listeners", () => {
  test("receive chunks, entities and messages until they unsubscribe", async () => {
    const server = new ScriptedServer({ interest: AROUND_ORIGIN });
    await server.join();
    const received: string[] = [];
    const stops = [
      server.world.onChange((boxes) => received.push(`${boxes.length} boxes`)),
      server.world.onEntities(({ entered }) => received.push(...entered.map(({ name }) => name))),
      server.world.onMessage((message) => received.push(`message ${String(message)}`)),
    ];
    server.sayGenerated([[0, 0, 0, 0]]);
    const entity = {
      number: 4,
      isPlayer: true,
      id: 8n,
      entityClass: 0,
      kind: 0,
      scale: 1,
      block: 0,
      name: "Bob",
      position: [1, 1, 1, 1],
      orientation: [0, 0, 0, 1],
    } as const;
    server.say({ kind: "allEntities", entities: [entity] });
    server.say({ kind: "game", payload: new Uint8Array([0, 1, 2]) });
    server.say({ kind: "game", payload: new Uint8Array([9]) });
    expect(received).toEqual(["1 boxes", "Bob", "message 1,2"]);
    expect(server.world.entities.map(({ name }) => name)).toEqual(["Bob"]);
    for (const stop of stops) stop();
    server.say({ kind: "game", payload: new Uint8Array([0, 3]) });
    expect(received.length).toBe(3);
  });
});
