import type { BlockProperties, BlockType, Position } from "@orthant/core";
import { floorModulo } from "@orthant/core/lattice";

/** The sides of a block, each a quarter turn after the one before it: clockwise, seen from above. */
const SIDES: readonly string[] = ["north", "east", "south", "west"];
/** Values of `rotation`: sixteen directions of signs, banners and skulls. */
const ROTATIONS = 16;

/** Returns where a voxel of a box comes to lie in the box after quarter turns about the vertical axis. */
export function turnedPlace(place: Position, size: Position, turns: number): Position {
  let [x, y, z, w] = place;
  let [width, , depth] = size;
  for (let turn = 0; turn < turns; turn++) {
    [x, z] = [depth - 1 - z, x];
    [width, depth] = [depth, width];
  }
  return [x, y, z, w];
}

/** Returns the values of a block's properties after quarter turns: `facing`, `axis`, `rotation`, and what each side has. */
export function turnedProperties(properties: BlockProperties, turns: number): BlockProperties {
  const hasSides = SIDES.every((side) => properties[side] !== undefined);
  return Object.fromEntries(
    Object.entries(properties).map(([name, value]) => [
      hasSides ? turnedSide(name, turns) : name,
      turnedValue(name, value, turns),
    ]),
  );
}

/** Returns a type with the values that its blocks have after quarter turns, behind those that it has. */
export function turnedType(type: BlockType, turns: number): BlockType {
  if (turns === 0) return type;
  const valuesOf = (name: string): readonly string[] =>
    type.properties.find((property) => property.name === name)?.values ?? [];
  const hasSides = SIDES.every((side) => valuesOf(side).length > 0);
  const properties = type.properties.map(({ name, values }) => {
    const from = hasSides ? valuesOf(turnedSide(name, -turns)) : values;
    const turned = from.map((value) => turnedValue(name, value, turns));
    return { name, values: [...new Set([...values, ...turned])] };
  });
  return { ...type, properties };
}

function turnedValue(name: string, value: string, turns: number): string {
  if (name === "facing") return turnedSide(value, turns);
  if (name === "axis" && turns % 2 !== 0) return value === "x" ? "z" : value === "z" ? "x" : value;
  if (name === "rotation" && /^(?:\d|1[0-5])$/.test(value))
    return String(floorModulo(Number(value) + (turns * ROTATIONS) / SIDES.length, ROTATIONS));
  return value;
}

function turnedSide(side: string, turns: number): string {
  const index = SIDES.indexOf(side);
  return index < 0 ? side : (SIDES[floorModulo(index + turns, SIDES.length)] as string);
}
