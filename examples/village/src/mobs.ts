// Wolves: by day they stroll over the hills; at night they find a way to players, but not into the light of torches.
import { findPath, moveBody } from "@orthant/mesh";
import type { Position, Step, System, Vector, WorldEntity } from "orthant";

/** How far from players they live, in voxels, how many near each, and the light that they bear. */
const [RANGE, PACK, LIGHT_MAX] = [48, 4, 9];
type Direction = readonly [number, number];

/** Returns the systems of wolves, which appear on grass. `bite` is called when one has reached a player. */
export function mobs(grass: number, isNight: () => boolean, bite: (playerId: bigint) => void) {
  const ways = new Map<bigint, Position<3>[]>();
  const births: System<3> = ({ number, world, players, entities, drawVoxels }) => {
    if (number % 40 !== 0) return;
    const meadow = drawVoxels(1).filter((place) => world.voxelAt(place) === grass);
    for (const { position } of players.filter((one) => entities.near(one.position, RANGE).length < PACK)) {
      const place = meadow.find((at) => Math.abs(distance(at, position) - RANGE / 2) < RANGE / 4);
      if (place) entities.add({ kind: 1, position: [place[0] + 0.5, place[1] + 1, place[2] + 0.5] });
    }
  };
  const wolves: System<3> = (step) => {
    const near = step.players.flatMap(({ position }) => step.entities.near(position, RANGE));
    for (const wolf of new Map(near.map((one) => [one.id, one])).values()) {
      const turn = Math.floor(step.number / 80) + Number(wolf.id % 100n); // another way every four seconds
      walk(step, wolf, isNight() ? hunt(step, wolf) : [Math.cos(turn) / 3, Math.sin(turn) / 3]);
    }
  };
  /** Returns where a wolf goes to reach the nearest player. */
  function hunt({ world, players, entities, number }: Step<3>, { id, position }: WorldEntity<3>): Direction {
    const far = (player: { position: Vector<3> }): number => distance(player.position, position);
    const [prey] = [...players].sort((a, b) => far(a) - far(b));
    if (prey === undefined) return [0, 0];
    if (far(prey) < 1.5 && entities.remove(id)) bite(prey.id);
    // Each looks for its way once a second, and not all in the same step.
    if ((number + Number(id % 20n)) % 20 === 0)
      ways.set(id, [...findPath(world, position, prey.position, { visits: 500 }).steps]);
    const way = ways.get(id) ?? [];
    while (way[0] && Math.hypot(...towards(position, way[0])) < 0.4) way.shift();
    const isDark = way[0] && (world.lightAt(way[0])?.block ?? 0) <= LIGHT_MAX;
    return way[0] && isDark ? towards(position, way[0]) : [0, 0];
  }
  return { births, wolves };
}

const towards = ([x, , z]: Vector<3>, to: Position<3>): Direction => [to[0] + 0.5 - x, to[2] + 0.5 - z];
const distance = (a: Vector<3>, b: Vector<3>): number => Math.hypot(a[0] - b[0], a[1] - b[1], a[2] - b[2]);

/** Lets an animal walk, looking where it goes. It falls, climbs and swims. */
function walk({ world, entities }: Step<3>, { id, ...mob }: WorldEntity<3>, [dx, dz]: Direction): void {
  const pace = 3.5 / Math.max(1, Math.hypot(dx, dz));
  const isLiquid = (block: number): boolean => world.blocks.byId(block)?.name === "water";
  const how = { walk: [dx * pace, 0, dz * pace], seconds: 0.05, isLiquid } as const;
  const { position, velocity } = moveBody(world, { ...mob, size: [0.9, 1.3, 0.9] }, how);
  const half = Math.atan2(-dx, -dz) / 2;
  const orientation = dx || dz ? ([0, Math.sin(half), 0, Math.cos(half)] as const) : mob.orientation;
  entities.change(id, { position, velocity, orientation });
}
