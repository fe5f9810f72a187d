import type { Position } from "@orthant/core";
import type { Being, BeingMove, ServerMessage } from "@orthant/protocol";
import { expect, test } from "vitest";
import { being, blank, forget, GROUND, heartbeat, SKY, Visit, WELCOME } from "./visit.ts";

interface RegionBeings {
  readonly left?: readonly number[];
  readonly entered?: readonly Being[];
  readonly moved?: readonly BeingMove[];
}

const beings = (region: Position, { left = [], entered = [], moved = [] }: RegionBeings): ServerMessage => ({
  kind: "beings",
  region,
  left,
  entered,
  moved,
});
const allBeings = (...list: readonly Being[]): ServerMessage => ({ kind: "allBeings", beings: list });
const moved = (number: number, position: Position): BeingMove => ({
  number,
  position,
  orientation: [0, 0, 0, 1],
});
const numbers = (visit: Visit): readonly number[] => visit.guest.beings.map(({ number }) => number).sort();

test("entities enter, move and leave, and the client reports each once per frame", () => {
  const visit = Visit.begun();
  visit.hear(beings(SKY, { entered: [being(1), being(2)] }));
  visit.hear(beings(SKY, { moved: [moved(1, [3, 0, 0, 0])], left: [2] }));
  expect(visit.guest.beings).toEqual([being(1, [3, 0, 0, 0])]);
  expect(visit.beings).toEqual([
    { entered: [being(1), being(2)], changed: [], left: [] },
    { entered: [], changed: [being(1, [3, 0, 0, 0])], left: [being(2)] },
  ]);
});

test.each([
  ["before", (enter: ServerMessage, leave: ServerMessage) => [enter, leave]],
  ["after", (enter: ServerMessage, leave: ServerMessage) => [leave, enter]],
])("an entity that moves to another region stays in sight, entering %s leaving", (_name, order) => {
  const visit = Visit.begun();
  visit.hear(beings(SKY, { entered: [being(1)] }));
  visit.hear(...order(beings(GROUND, { entered: [being(1, [0, -1, 0, 0])] }), beings(SKY, { left: [1] })));
  expect(visit.guest.beings).toEqual([being(1, [0, -1, 0, 0])]);
  expect(visit.beings.at(-1)).toEqual({ entered: [], changed: [being(1, [0, -1, 0, 0])], left: [] });
});

test("an entity from a complete list is in the region of its position", () => {
  const visit = Visit.begun();
  visit.hear(allBeings(being(1, [0, -0.5, 0, 0]), being(2, [1, 0, 0, 0])));
  visit.hear(beings(SKY, { left: [1, 2] }));
  expect(numbers(visit)).toEqual([1]);
  visit.hear(beings(GROUND, { left: [1] }));
  expect(numbers(visit)).toEqual([]);
});

test("after a lost frame the client ignores entity changes until a complete list arrives", () => {
  const visit = Visit.begun();
  visit.hear(beings(SKY, { entered: [being(1)] }));
  visit.hearAs(4, beings(SKY, { entered: [being(2)] }));
  visit.hearAs(5, beings(SKY, { left: [1] }));
  expect(numbers(visit)).toEqual([1]);
  visit.hearAs(6, allBeings(being(3)), beings(SKY, { entered: [being(4)] }));
  expect(numbers(visit)).toEqual([3, 4]);
  expect(visit.beings.at(-1)).toEqual({ entered: [being(3), being(4)], changed: [], left: [being(1)] });
});

test("after a lost frame the client requests all entities, at a limited rate", () => {
  const visit = Visit.begun();
  visit.hearAs(3, heartbeat(0));
  visit.pass(50);
  expect(visit.saidOf("beingsLost")).toHaveLength(1);
  visit.pass(450);
  expect(visit.saidOf("beingsLost")).toHaveLength(0);
  visit.pass(50);
  expect(visit.saidOf("beingsLost")).toHaveLength(1);
  visit.hearAs(4, allBeings());
  visit.pass(5_000);
  expect(visit.saidOf("beingsLost")).toHaveLength(0);
});

test("a late or repeated frame changes no entities", () => {
  const visit = Visit.begun();
  visit.hearAs(2, beings(SKY, { entered: [being(1)] }));
  visit.hearAs(3, beings(SKY, { left: [1] }));
  visit.hearAs(2, beings(SKY, { entered: [being(1)] }));
  visit.hearAs(2, allBeings(being(1)));
  expect(numbers(visit)).toEqual([]);
});

test("a client whose welcome was not in the first frame requests all entities", () => {
  const visit = new Visit();
  visit.connect();
  visit.hearAs(2, WELCOME);
  visit.guest.tick();
  expect(visit.saidOf("beingsLost")).toHaveLength(1);
});

test("the client's own player is not among the entities and is available separately", () => {
  const visit = Visit.begun();
  const own = being(5, [2, 0, 0, 0], { isPlayer: true, id: 77n, name: "ada" });
  const namesake = being(6, [2, 0, 0, 0], { id: 77n });
  visit.hear(beings(SKY, { entered: [own, namesake] }));
  expect(visit.guest.ownBeing).toEqual(own);
  expect(visit.guest.beings).toEqual([namesake]);
  expect(visit.beings).toEqual([{ entered: [namesake], changed: [], left: [] }]);
  visit.hear(beings(SKY, { moved: [moved(5, [3, 0, 0, 0])] }));
  expect(visit.guest.ownBeing?.position).toEqual([3, 0, 0, 0]);
  expect(visit.beings).toHaveLength(1);
});

test("entities in a forgotten region outside the interest disappear", () => {
  const visit = Visit.begun();
  visit.hear(blank(1, "generated", SKY, [9, 0, 0, 0]));
  visit.hear(beings(SKY, { entered: [being(1)] }), beings([9, 0, 0, 0], { entered: [being(2)] }));
  visit.hear(forget(2, SKY, [9, 0, 0, 0]));
  expect(numbers(visit)).toEqual([1]);
});

test("a disconnected client sees no entities", () => {
  const visit = Visit.begun();
  visit.hear(beings(SKY, { entered: [being(1)] }));
  visit.guest.disconnected();
  expect(visit.guest.beings).toEqual([]);
  expect(visit.beings.at(-1)).toEqual({ entered: [], changed: [], left: [being(1)] });
});

test("a reused number with another id is a different entity", () => {
  const visit = Visit.begun();
  visit.hear(beings(SKY, { entered: [being(1)] }));
  visit.hear(beings(SKY, { entered: [being(1, [0, 0, 0, 0], { id: 5n })] }));
  expect(visit.beings.at(-1)).toMatchObject({ entered: [{ id: 5n }], left: [{ id: 1_001n }] });
});

test("a client disconnects from a server that sends entities without end", () => {
  const visit = Visit.begun();
  for (let batch = 0; batch <= 16 && !visit.isClosed; batch++) {
    const entered = Array.from({ length: 1_024 }, (_, index) => being(batch * 1_024 + index));
    visit.hear(beings(SKY, { entered }));
  }
  expect(visit.faults.map((fault) => fault.code)).toEqual(["ORT_LIMIT"]);
});
