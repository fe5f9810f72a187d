import type { Position } from "@orthant/core";
import type { EntityMove, NumberedEntity, ServerMessage } from "@orthant/protocol/internal";
import { expect, test } from "vitest";
import { blank, entity, forget, GROUND, heartbeat, SKY, TestClient, WELCOME } from "./sample-client.ts";

interface RegionEntities {
  readonly left?: readonly number[];
  readonly entered?: readonly NumberedEntity[];
  readonly moved?: readonly EntityMove[];
}

const entities = (
  region: Position,
  { left = [], entered = [], moved = [] }: RegionEntities,
): ServerMessage => ({
  kind: "entities",
  region,
  left,
  entered,
  moved,
});
const allEntities = (...list: readonly NumberedEntity[]): ServerMessage => ({
  kind: "allEntities",
  entities: list,
});
const moved = (number: number, position: Position): EntityMove => ({
  number,
  position,
  orientation: [0, 0, 0, 1],
});
const numbers = (client: TestClient): readonly number[] =>
  client.sync.entities.map(({ number }) => number).sort();

test("entities enter, move and leave, and the client reports each once per frame", () => {
  const client = TestClient.joined();
  client.receive(entities(SKY, { entered: [entity(1), entity(2)] }));
  client.receive(entities(SKY, { moved: [moved(1, [3, 0, 0, 0])], left: [2] }));
  expect(client.sync.entities).toEqual([entity(1, [3, 0, 0, 0])]);
  expect(client.entities).toEqual([
    { entered: [entity(1), entity(2)], changed: [], left: [] },
    { entered: [], changed: [entity(1, [3, 0, 0, 0])], left: [entity(2)] },
  ]);
});

test.each([
  ["before", (enter: ServerMessage, leave: ServerMessage) => [enter, leave]],
  ["after", (enter: ServerMessage, leave: ServerMessage) => [leave, enter]],
])("an entity that moves to another region stays in sight, entering %s leaving", (_name, order) => {
  const client = TestClient.joined();
  client.receive(entities(SKY, { entered: [entity(1)] }));
  client.receive(
    ...order(entities(GROUND, { entered: [entity(1, [0, -1, 0, 0])] }), entities(SKY, { left: [1] })),
  );
  expect(client.sync.entities).toEqual([entity(1, [0, -1, 0, 0])]);
  expect(client.entities.at(-1)).toEqual({ entered: [], changed: [entity(1, [0, -1, 0, 0])], left: [] });
});

test("an entity from a complete list is in the region of its position", () => {
  const client = TestClient.joined();
  client.receive(allEntities(entity(1, [0, -0.5, 0, 0]), entity(2, [1, 0, 0, 0])));
  client.receive(entities(SKY, { left: [1, 2] }));
  expect(numbers(client)).toEqual([1]);
  client.receive(entities(GROUND, { left: [1] }));
  expect(numbers(client)).toEqual([]);
});

test("after a lost frame the client ignores entity changes until a complete list arrives", () => {
  const client = TestClient.joined();
  client.receive(entities(SKY, { entered: [entity(1)] }));
  client.receiveAs(4, entities(SKY, { entered: [entity(2)] }));
  client.receiveAs(5, entities(SKY, { left: [1] }));
  expect(numbers(client)).toEqual([1]);
  client.receiveAs(6, allEntities(entity(3)), entities(SKY, { entered: [entity(4)] }));
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
  client.receiveAs(2, entities(SKY, { entered: [entity(1)] }));
  client.receiveAs(3, entities(SKY, { left: [1] }));
  client.receiveAs(2, entities(SKY, { entered: [entity(1)] }));
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
  client.receive(entities(SKY, { entered: [own, namesake] }));
  expect(client.sync.ownPlayer).toEqual(own);
  expect(client.sync.entities).toEqual([namesake]);
  expect(client.entities).toEqual([{ entered: [namesake], changed: [], left: [] }]);
  client.receive(entities(SKY, { moved: [moved(5, [3, 0, 0, 0])] }));
  expect(client.sync.ownPlayer?.position).toEqual([3, 0, 0, 0]);
  expect(client.entities).toHaveLength(1);
});

test("entities in a forgotten region outside the interest disappear", () => {
  const client = TestClient.joined();
  client.receive(blank(1, "generated", SKY, [9, 0, 0, 0]));
  client.receive(entities(SKY, { entered: [entity(1)] }), entities([9, 0, 0, 0], { entered: [entity(2)] }));
  client.receive(forget(2, SKY, [9, 0, 0, 0]));
  expect(numbers(client)).toEqual([1]);
});

test("a disconnected client sees no entities", () => {
  const client = TestClient.joined();
  client.receive(entities(SKY, { entered: [entity(1)] }));
  client.sync.disconnected();
  expect(client.sync.entities).toEqual([]);
  expect(client.entities.at(-1)).toEqual({ entered: [], changed: [], left: [entity(1)] });
});

test("a reused number with another id is a different entity", () => {
  const client = TestClient.joined();
  client.receive(entities(SKY, { entered: [entity(1)] }));
  client.receive(entities(SKY, { entered: [entity(1, [0, 0, 0, 0], { id: 5n })] }));
  expect(client.entities.at(-1)).toMatchObject({ entered: [{ id: 5n }], left: [{ id: 1_001n }] });
});

test("a client disconnects from a server that sends entities without end", () => {
  const client = TestClient.joined();
  for (let batch = 0; batch <= 16 && !client.isClosed; batch++) {
    const entered = Array.from({ length: 1_024 }, (_, index) => entity(batch * 1_024 + index));
    client.receive(entities(SKY, { entered }));
  }
  expect(client.faults.map((fault) => fault.code)).toEqual(["ORT_LIMIT"]);
});

test("[N46] details change an entity in sight, which keeps them until it leaves", () => {
  const details = { tags: ["tame"], data: new Uint8Array([1, 2]) };
  const client = TestClient.joined();
  client.receive(entities(SKY, { entered: [entity(1)] }), {
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
  client.receive(entities(SKY, { moved: [moved(1, [3, 0, 0, 0])] }));
  expect(client.sync.entities).toEqual([entity(1, [3, 0, 0, 0], details)]);
  client.receive(allEntities(entity(1, [4, 0, 0, 0])));
  expect(client.sync.entities).toEqual([entity(1, [4, 0, 0, 0], details)]);
  client.receive({ kind: "entityDetails", details: [{ number: 1, tags: [], data: new Uint8Array(0) }] });
  expect(client.entities.at(-1)).toEqual({ entered: [], changed: [entity(1, [4, 0, 0, 0])], left: [] });
});
