import type { Position } from "@orthant/core";
import type { NumberedEntity, ServerMessage } from "@orthant/protocol/internal";
import { expect, test } from "vitest";
import { blank, entity, forget, heartbeat, SKY, TestClient, WELCOME } from "./sample-client.ts";

interface Changes {
  readonly left?: readonly number[];
  readonly entered?: readonly NumberedEntity[];
}

const entities = ({ left = [], entered = [] }: Changes): ServerMessage => ({
  kind: "entities",
  left,
  entered,
});
const allEntities = (...list: readonly NumberedEntity[]): ServerMessage => ({
  kind: "allEntities",
  entities: list,
});
/** Adds voxels to the position of an entity. */
const moved = (number: number, [x, y, z, w]: Position): ServerMessage => ({
  kind: "moves",
  absolute: 0,
  moves: [{ number, steps: [x * 64, y * 64, z * 64, w * 64, 0, 0, 0, 0] }],
});
const numbers = (client: TestClient): readonly number[] =>
  client.sync.entities.map(({ number }) => number).sort();

test("entities enter, move and leave, and the client reports each once per frame", () => {
  const client = TestClient.joined();
  client.receive(entities({ entered: [entity(1), entity(2)] }));
  client.receive(moved(1, [3, 0, 0, 0]), entities({ left: [2] }));
  expect(client.sync.entities).toEqual([entity(1, [3, 0, 0, 0])]);
  expect(client.entities).toEqual([
    { entered: [entity(1), entity(2)], changed: [], left: [] },
    { entered: [], changed: [entity(1, [3, 0, 0, 0])], left: [entity(2)] },
  ]);
});

test("an entity that moves to another region stays in sight", () => {
  const client = TestClient.joined();
  client.receive(entities({ entered: [entity(1)] }));
  client.receive(moved(1, [0, -1, 0, 0]));
  expect(client.sync.entities).toEqual([entity(1, [0, -1, 0, 0])]);
  expect(client.entities.at(-1)).toEqual({ entered: [], changed: [entity(1, [0, -1, 0, 0])], left: [] });
});

test("an entity that is out of sight leaves, wherever it was last", () => {
  const client = TestClient.joined();
  client.receive(allEntities(entity(1, [0, -0.5, 0, 0]), entity(2, [1, 0, 0, 0])));
  client.receive(entities({ left: [1] }));
  expect(numbers(client)).toEqual([2]);
});

test("[N51] changes add up exactly, and a number as it is replaces the last", () => {
  const client = TestClient.joined();
  client.receive(allEntities(entity(1, [0.5, 0, 0, 0]), entity(2)));
  for (let step = 0; step < 1_000; step++) {
    client.receive({
      kind: "moves",
      absolute: step % 3 === 0 ? 0x80 : 0,
      moves: [
        { number: 1, steps: [1, -1, 0, 0, 0, 0, 0, step % 3 === 0 ? -40 : 1] },
        { number: 2, steps: [-1, 0, 0, 1, 0, 0, 0, step % 3 === 0 ? 0 : 1] },
      ],
    });
  }
  const [one, two] = client.sync.entities;
  expect(one).toMatchObject({ position: [0.5 + 1_000 / 64, -1_000 / 64, 0, 0], orientation: [0, 0, 0, -1] });
  expect(two).toMatchObject({ position: [-1_000 / 64, 0, 0, 1_000 / 64], orientation: [0, 0, 0, 0] });
});

test("[N51] a move of an entity that the client does not know has no effect", () => {
  const client = TestClient.joined();
  client.receive(allEntities(entity(1)));
  client.receive(moved(2, [1, 0, 0, 0]));
  expect(client.sync.entities).toEqual([entity(1)]);
  expect(client.isClosed).toBe(false);
});

test.each([
  ["past the lattice", [0x01, [2 ** 53 - 1, 0, 0, 0, 0, 0, 0, 0]], "ORT_POSITION_RANGE"],
  ["past the lattice, little by little", [0, [2 ** 29, 0, 0, 0, 0, 0, 0, 0]], "ORT_POSITION_RANGE"],
  ["past the range of orientations", [0, [0, 0, 0, 0, 0, 0, 0, 40]], "ORT_MESSAGE"],
  ["to an orientation past the range", [0x10, [0, 0, 0, 0, 64, 0, 0, 0]], "ORT_MESSAGE"],
] as const)(
  "[N51] a client disconnects from a server that moves an entity %s",
  (_name, [absolute, steps], code) => {
    const client = TestClient.joined();
    const edge = 2 ** 47 - 1;
    client.receive(allEntities(entity(1, [edge, 0, 0, 0], { orientation: [0, 0, 0, 0.5] })));
    client.receive({ kind: "moves", absolute, moves: [{ number: 1, steps }] });
    expect(client.faults.map((fault) => fault.code)).toEqual([code]);
    expect(client.sync.entities).toEqual([]);
  },
);

test("after a lost frame the client ignores entity changes until a complete list arrives", () => {
  const client = TestClient.joined();
  client.receive(entities({ entered: [entity(1)] }));
  client.receiveAs(4, entities({ entered: [entity(2)] }));
  client.receiveAs(5, entities({ left: [1] }));
  expect(numbers(client)).toEqual([1]);
  client.receiveAs(6, allEntities(entity(3)), entities({ entered: [entity(4)] }));
  expect(numbers(client)).toEqual([3, 4]);
  expect(client.entities.at(-1)).toEqual({ entered: [entity(3), entity(4)], changed: [], left: [entity(1)] });
});

test("after a lost frame the client requests all entities, at a limited rate", () => {
  const client = TestClient.joined();
  client.receiveAs(3, heartbeat(0));
  client.pass(50);
  expect(client.sentOf("entitiesLost")).toHaveLength(1);
  client.pass(450);
  expect(client.sentOf("entitiesLost")).toHaveLength(0);
  client.pass(50);
  expect(client.sentOf("entitiesLost")).toHaveLength(1);
  client.receiveAs(4, allEntities());
  client.pass(5_000);
  expect(client.sentOf("entitiesLost")).toHaveLength(0);
});

test("a late or repeated frame changes no entities", () => {
  const client = TestClient.joined();
  client.receiveAs(2, entities({ entered: [entity(1)] }));
  client.receiveAs(3, entities({ left: [1] }));
  client.receiveAs(2, entities({ entered: [entity(1)] }));
  client.receiveAs(2, allEntities(entity(1)));
  expect(numbers(client)).toEqual([]);
});

test("a client whose welcome was not in the first frame requests all entities", () => {
  const client = new TestClient();
  client.connect();
  client.receiveAs(2, WELCOME);
  client.sync.tick();
  expect(client.sentOf("entitiesLost")).toHaveLength(1);
});

test("the client's own player is not among the entities and is available separately", () => {
  const client = TestClient.joined();
  const own = entity(5, [2, 0, 0, 0], { isPlayer: true, id: 77n, name: "ada" });
  const namesake = entity(6, [2, 0, 0, 0], { id: 77n });
  client.receive(entities({ entered: [own, namesake] }));
  expect(client.sync.ownPlayer).toEqual(own);
  expect(client.sync.entities).toEqual([namesake]);
  expect(client.entities).toEqual([{ entered: [namesake], changed: [], left: [] }]);
  client.receive(moved(5, [1, 0, 0, 0]));
  expect(client.sync.ownPlayer?.position).toEqual([3, 0, 0, 0]);
  expect(client.entities).toHaveLength(1);
});

test("entities in a forgotten region outside the interest disappear", () => {
  const client = TestClient.joined();
  client.receive(blank(1, "generated", SKY, [9, 0, 0, 0]));
  client.receive(entities({ entered: [entity(1)] }), entities({ entered: [entity(2, [9 * 32, 0, 0, 0])] }));
  client.receive(forget(2, SKY, [9, 0, 0, 0]));
  expect(numbers(client)).toEqual([1]);
});

test("a disconnected client sees no entities", () => {
  const client = TestClient.joined();
  client.receive(entities({ entered: [entity(1)] }));
  client.sync.disconnected();
  expect(client.sync.entities).toEqual([]);
  expect(client.entities.at(-1)).toEqual({ entered: [], changed: [], left: [entity(1)] });
});

test("a reused number with another id is a different entity", () => {
  const client = TestClient.joined();
  client.receive(entities({ entered: [entity(1)] }));
  client.receive(entities({ entered: [entity(1, [0, 0, 0, 0], { id: 5n })] }));
  expect(client.entities.at(-1)).toMatchObject({ entered: [{ id: 5n }], left: [{ id: 1_001n }] });
});

test("a client disconnects from a server that sends entities without end", () => {
  const client = TestClient.joined();
  for (let batch = 0; batch <= 16 && !client.isClosed; batch++) {
    const entered = Array.from({ length: 1_024 }, (_, index) => entity(batch * 1_024 + index));
    client.receive(entities({ entered }));
  }
  expect(client.faults.map((fault) => fault.code)).toEqual(["ORT_LIMIT"]);
});

test("[N57] an entity has the velocity that the server states, until it states none or sends all entities", () => {
  const client = TestClient.joined();
  const motion = (x: number): ServerMessage => ({
    kind: "motions",
    motions: [
      { number: 1, velocity: [x, 0, 0, 0] },
      { number: 9, velocity: [x, 0, 0, 0] },
    ],
  });
  client.receive(entities({ entered: [entity(1), entity(2)] }), motion(96));
  expect(client.sync.entities).toEqual([{ ...entity(1), velocity: [1.5, 0, 0, 0] }, entity(2)]);
  client.receive(moved(1, [1, 0, 0, 0]));
  expect(client.sync.entities[0]?.velocity).toEqual([1.5, 0, 0, 0]);
  client.receive(motion(0));
  expect(client.sync.entities).toEqual([entity(1, [1, 0, 0, 0]), entity(2)]);
  client.receive(motion(64));
  client.receive(allEntities(entity(1)));
  expect(client.sync.entities[0]?.velocity).toBeUndefined();
  expect(client.faults).toEqual([]);
});

test("[N46] details change an entity in sight, which keeps them until it leaves", () => {
  const details = { tags: ["tame"], data: new Uint8Array([1, 2]) };
  const client = TestClient.joined();
  client.receive(entities({ entered: [entity(1)] }), {
    kind: "entityDetails",
    details: [
      { number: 1, ...details },
      { number: 2, ...details },
    ],
  });
  expect(client.entities.at(-1)).toEqual({
    entered: [entity(1, [0, 0, 0, 0], details)],
    changed: [],
    left: [],
  });
  client.receive(moved(1, [3, 0, 0, 0]));
  expect(client.sync.entities).toEqual([entity(1, [3, 0, 0, 0], details)]);
  client.receive(allEntities(entity(1, [4, 0, 0, 0])));
  expect(client.sync.entities).toEqual([entity(1, [4, 0, 0, 0], details)]);
  client.receive({ kind: "entityDetails", details: [{ number: 1, tags: [], data: new Uint8Array(0) }] });
  expect(client.entities.at(-1)).toEqual({ entered: [], changed: [entity(1, [4, 0, 0, 0])], left: [] });
});
