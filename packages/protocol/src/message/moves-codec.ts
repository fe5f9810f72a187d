import { OrthantError } from "@orthant/core";
import { requireInteger } from "@orthant/core/arguments";
import {
  BitReader,
  BitWriter,
  type ByteReader,
  type Codec,
  RICE_VALUE_MAX,
  unzigzag,
  zigzag,
} from "@orthant/core/bytes";
import type { EntityMove } from "./entity.ts";
import { ENTITIES_MAX } from "./limits.ts";
import type { PoseSteps } from "./pose-steps.ts";
import type { EntityMoves } from "./server-message.ts";

/** Numbers of a pose, of which the first four are its position. */
const FIELDS = 8;
const POSITION_FIELDS = 4;
/** Largest absolute change of a component of an orientation, in steps. */
const TURN_MAX = 254;

/** New poses of entities, column by column. Rules N51 and N52 in docs/formats/protocol.md. */
export const movesCodec: Codec<EntityMoves> = {
  write(out, { absolute, moves }) {
    const [first] = moves;
    if (first === undefined) throw new OrthantError("ORT_ARGUMENT", "a message of no moves");
    requireInteger(moves.length, 1, ENTITIES_MAX);
    requireInteger(absolute, 0, 0xff);
    const columns: Column[] = [];
    let present = absolute;
    for (let field = 0; field < FIELDS; field++) {
      const column =
        isIn(absolute, field) && field < POSITION_FIELDS ? placesOf(moves, field) : changesOf(moves, field);
      columns.push(column);
      if (column.codes.some((code) => code !== 0)) present |= 1 << field;
    }
    out.varUint(moves.length);
    out.varUint(first.number);
    out.u8(present);
    out.u8(absolute);
    for (let field = 0; field < POSITION_FIELDS; field++) {
      if (isIn(absolute, field)) out.varInt(columns[field]?.base ?? 0);
    }
    const bits = new BitWriter(out);
    if (moves.length > 1) bits.riceList(gapsOf(moves));
    columns.forEach(({ codes }, field) => {
      if (!isIn(present, field)) return;
      for (const code of codes) requireInteger(code, 0, RICE_VALUE_MAX);
      bits.riceList(codes);
    });
    bits.end();
  },

  read(input) {
    // Of a number that follows the last one, a bit is left.
    const count = input.count(ENTITIES_MAX, 8);
    if (count === 0) throw input.fail("ORT_MESSAGE", "a message of no moves");
    const first = input.varUint();
    const present = input.u8();
    const absolute = input.u8();
    if ((absolute & ~present) !== 0) throw input.fail("ORT_MESSAGE", "a place without its numbers");
    const bases: number[] = [];
    for (let field = 0; field < POSITION_FIELDS; field++) {
      bases.push(isIn(absolute, field) ? input.varInt() : 0);
    }
    const bits = new BitReader(input, "ORT_MESSAGE");
    const gaps = count > 1 ? bits.riceList(count - 1) : [];
    const moves: EntityMove[] = [];
    const poses: number[][] = [];
    let number = first;
    for (let index = 0; index < count; index++) {
      if (index > 0) number += (gaps[index - 1] as number) + 1;
      const steps = [0, 0, 0, 0, 0, 0, 0, 0];
      poses.push(steps);
      moves.push({ number, steps: steps as unknown as PoseSteps });
    }
    for (let field = 0; field < FIELDS; field++) {
      if (!isIn(present, field)) continue;
      const codes = bits.riceList(count);
      if (isIn(absolute, field) && field < POSITION_FIELDS)
        readPlaces(input, bases[field] as number, codes, poses, field);
      else readChanges(input, codes, isIn(absolute, field), poses, field);
    }
    bits.end();
    if (number > Number.MAX_SAFE_INTEGER) throw input.fail("ORT_UNSAFE_INTEGER", "a number above 2^53 - 1");
    return { kind: "moves", absolute, moves };
  },
};

/** One number of each pose, as codes of differences from a base. */
interface Column {
  readonly base: number;
  readonly codes: readonly number[];
}

function changesOf(moves: readonly EntityMove[], field: number): Column {
  const codes: number[] = [];
  for (const { steps } of moves) codes.push(zigzag(steps[field] as number));
  return { base: 0, codes };
}

/** Returns coordinates as distances from the least of them. */
function placesOf(moves: readonly EntityMove[], field: number): Column {
  const places = moves.map(({ steps }) => steps[field] as number);
  const base = places.reduce((least, place) => Math.min(least, place));
  return { base, codes: places.map((place) => place - base) };
}

function readPlaces(
  input: ByteReader,
  base: number,
  codes: readonly number[],
  poses: readonly number[][],
  field: number,
): void {
  if (!codes.includes(0)) throw input.fail("ORT_MESSAGE", "places without the least of them");
  for (const [index, code] of codes.entries()) {
    const place = base + code;
    if (!Number.isSafeInteger(place))
      throw input.fail("ORT_UNSAFE_INTEGER", "a place more than 2^53 - 1 steps from the origin");
    (poses[index] as number[])[field] = place;
  }
}

function readChanges(
  input: ByteReader,
  codes: readonly number[],
  isAbsolute: boolean,
  poses: readonly number[][],
  field: number,
): void {
  let largest = 0;
  for (let index = 0; index < codes.length; index++) {
    const code = codes[index] as number;
    if (code > largest) largest = code;
    (poses[index] as number[])[field] = unzigzag(code);
  }
  if (!isAbsolute && largest === 0) throw input.fail("ORT_MESSAGE", "changes of nothing");
  if (field >= POSITION_FIELDS && largest > zigzag(TURN_MAX)) {
    throw input.fail("ORT_MESSAGE", `an orientation that changes by more than ${TURN_MAX} steps`);
  }
}

/** Returns how many numbers lie between those of each two moves, which are in ascending order. */
function gapsOf(moves: readonly EntityMove[]): readonly number[] {
  const gaps: number[] = [];
  for (let index = 1; index < moves.length; index++) {
    const gap = (moves[index]?.number ?? 0) - (moves[index - 1]?.number ?? 0) - 1;
    requireInteger(gap, 0, RICE_VALUE_MAX);
    gaps.push(gap);
  }
  return gaps;
}

function isIn(mask: number, field: number): boolean {
  return ((mask >> field) & 1) === 1;
}
