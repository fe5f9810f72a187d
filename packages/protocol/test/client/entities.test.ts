import type { Position } from "@orthant/core";
import type { Entity } from "@orthant/protocol";
import type { EntityMove, ServerMessage } from "@orthant/protocol/internal";
import { expect, test } from "vitest";
import { blank, entity, forget, GROUND, heartbeat, SKY, Visit, WELCOME } from "./sample-client.ts";

interface RegionBeings {
  readonly left?: readonly number[];
  readonly entered?: readonly Entity[];
  readonly moved?: readonly EntityMove[];
}

const entities = (
  region: Position,
  { left = [], entered = [], moved = [] }: RegionBeings,
): ServerMessage => ({
  kind: "entities",
  region,
  left,
  entered,
  moved,
});
const allEntities = (...list: readonly Entity[]): ServerMessage => ({ kind: "allEntities", entities: list });
const moved = (number: number, position: Position): EntityMove => ({
  number,
  position,
  orientation: [0, 0, 0, 1],
});
const numbers = (visit: Visit): readonly number[] => visit.guest.entities.map(({ number }) => number).sort();

test("entities enter, move and leave, and the client reports each once per frame", () => {
  const visit = Visit.begun();
  visit.hear(entities(SKY, { entered: [entity(1), entity(2)] }));
  visit.hear(entities(SKY, { moved: [moved(1, [3, 0, 0, 0])], left: [2] }));
  expect(visit.guest.entities).toEqual([entity(1, [3, 0, 0, 0])]);
  expect(visit.entities).toEqual([
    { entered: [entity(1), entity(2)], changed: [], left: [] },
    { entered: [], changed: [entity(1, [3, 0, 0, 0])], left: [entity(2)] },
  ]);
});

test.each([
  ["before", (enter: ServerMessage, leave: ServerMessage) => [enter, leave]],
  ["after", (enter: ServerMessage, leave: ServerMessage) => [leave, enter]],
])("an entity that moves to another region stays in sight, entering %s leaving", (_name, order) => {
  const visit = Visit.begun();
  visit.hear(entities(SKY, { entered: [entity(1)] }));
  visit.hear(
    ...order(entities(GROUND, { entered: [entity(1, [0, -1, 0, 0])] }), entities(SKY, { left: [1] })),
  );
  expect(visit.guest.entities).toEqual([entity(1, [0, -1, 0, 0])]);
  expect(visit.entities.at(-1)).toEqual({ entered: [], changed: [entity(1, [0, -1, 0, 0])], left: [] });
});

test("an entity from a complete list is in the region of its position", () => {
  const visit = Visit.begun();
  visit.hear(allEntities(entity(1, [0, -0.5, 0, 0]), entity(2, [1, 0, 0, 0])));
  visit.hear(entities(SKY, { left: [1, 2] }));
  expect(numbers(visit)).toEqual([1]);
  visit.hear(entities(GROUND, { left: [1] }));
  expect(numbers(visit)).toEqual([]);
});

test("after a lost frame the client ignores entity changes until a complete list arrives", () => {
  const visit = Visit.begun();
  visit.hear(entities(SKY, { entered: [entity(1)] }));
  visit.hearAs(4, entities(SKY, { entered: [entity(2)] }));
  visit.hearAs(5, entities(SKY, { left: [1] }));
  expect(numbers(visit)).toEqual([1]);
  visit.hearAs(6, allEntities(entity(3)), entities(SKY, { entered: [entity(4)] }));
  expect(numbers(visit)).toEqual([3, 4]);
  expect(visit.entities.at(-1)).toEqual({ entered: [entity(3), entity(4)], changed: [], left: [entity(1)] });
});

test("after a lost frame the client requests all entities, at a limited rate", () => {
  const visit = Visit.begun();
  visit.hearAs(3, heartbeat(0));
  visit.pass(50);
  expect(visit.saidOf("entitiesLost")).toHaveLength(1);
  visit.pass(450);
  expect(visit.saidOf("entitiesLost")).toHaveLength(0);
  visit.pass(50);
  expect(visit.saidOf("entitiesLost")).toHaveLength(1);
  visit.hearAs(4, allEntities());
  visit.pass(5_000);
  expect(visit.saidOf("entitiesLost")).toHaveLength(0);
});

test("a late or repeated frame changes no entities", () => {
  const visit = Visit.begun();
  visit.hearAs(2, entities(SKY, { entered: [entity(1)] }));
  visit.hearAs(3, entities(SKY, { left: [1] }));
  visit.hearAs(2, entities(SKY, { entered: [entity(1)] }));
  visit.hearAs(2, allEntities(entity(1)));
  expect(numbers(visit)).toEqual([]);
});

test("a client whose welcome was not in the first frame requests all entities", () => {
  const visit = new Visit();
  visit.connect();
  visit.hearAs(2, WELCOME);
  visit.guest.tick();
  expect(visit.saidOf("entitiesLost")).toHaveLength(1);
});

test("the client's own player is not among the entities and is available separately", () => {
  const visit = Visit.begun();
  const own = entity(5, [2, 0, 0, 0], { isPlayer: true, id: 77n, name: "ada" });
  const namesake = entity(6, [2, 0, 0, 0], { id: 77n });
  visit.hear(entities(SKY, { entered: [own, namesake] }));
  expect(visit.guest.ownPlayer).toEqual(own);
  expect(visit.guest.entities).toEqual([namesake]);
  expect(visit.entities).toEqual([{ entered: [namesake], changed: [], left: [] }]);
  visit.hear(entities(SKY, { moved: [moved(5, [3, 0, 0, 0])] }));
  expect(visit.guest.ownPlayer?.position).toEqual([3, 0, 0, 0]);
  expect(visit.entities).toHaveLength(1);
});

test("entities in a forgotten region outside the interest disappear", () => {
  const visit = Visit.begun();
  visit.hear(blank(1, "generated", SKY, [9, 0, 0, 0]));
  visit.hear(entities(SKY, { entered: [entity(1)] }), entities([9, 0, 0, 0], { entered: [entity(2)] }));
  visit.hear(forget(2, SKY, [9, 0, 0, 0]));
  expect(numbers(visit)).toEqual([1]);
});

test("a disconnected client sees no entities", () => {
  const visit = Visit.begun();
  visit.hear(entities(SKY, { entered: [entity(1)] }));
  visit.guest.disconnected();
  expect(visit.guest.entities).toEqual([]);
  expect(visit.entities.at(-1)).toEqual({ entered: [], changed: [], left: [entity(1)] });
});

test("a reused number with another id is a different entity", () => {
  const visit = Visit.begun();
  visit.hear(entities(SKY, { entered: [entity(1)] }));
  visit.hear(entities(SKY, { entered: [entity(1, [0, 0, 0, 0], { id: 5n })] }));
  expect(visit.entities.at(-1)).toMatchObject({ entered: [{ id: 5n }], left: [{ id: 1_001n }] });
});

test("a client disconnects from a server that sends entities without end", () => {
  const visit = Visit.begun();
  for (let batch = 0; batch <= 16 && !visit.isClosed; batch++) {
    const entered = Array.from({ length: 1_024 }, (_, index) => entity(batch * 1_024 + index));
    visit.hear(entities(SKY, { entered }));
  }
  expect(visit.faults.map((fault) => fault.code)).toEqual(["ORT_LIMIT"]);
});
