import { requireInteger } from "@orthant/core/arguments";
import { type Codec, U8_MAX, U16_MAX, U32_MAX, varI32, varU16, varU32 } from "@orthant/core/bytes";

/** A request of a Wire v1 player. Coordinates are 32-bit integers, in tiles or chunks; y grows downwards. */
export type Wire1Command =
  | { readonly kind: "jump" }
  | { readonly kind: "attack" }
  | MotionInput
  | SetTile
  | LoadChunk
  | UnloadChunk
  | CollectResource
  | SpawnDrop
  | PickupProbe
  | Interaction
  | ActionPrimary
  | { readonly kind: "craftRecipe"; readonly recipe: number }
  | { readonly kind: "attackEnemy" }
  | { readonly kind: "attackBoss" }
  | FireProjectile;

/** The direction in which a player steers. */
interface MotionInput {
  readonly kind: "motionInput";
  /** From -1,000, left, to 1,000, right. */
  readonly axisMilli: number;
  readonly jumps: boolean;
}

/** Sets the material of one tile. */
export interface SetTile {
  readonly kind: "setTile";
  readonly x: number;
  readonly y: number;
  readonly material: number;
}

/** Requests a chunk. */
export interface LoadChunk {
  readonly kind: "loadChunk";
  readonly chunkX: number;
  readonly chunkY: number;
}

/** Reports that a player no longer wants a chunk. */
interface UnloadChunk {
  readonly kind: "unloadChunk";
  readonly chunkX: number;
  readonly chunkY: number;
}

/** A resource that a player claims to have gathered. */
interface CollectResource {
  readonly kind: "collectResource";
  readonly resource: number;
  readonly amount: number;
}

/** An item that a player drops. */
interface SpawnDrop {
  readonly kind: "spawnDrop";
  readonly x: number;
  readonly y: number;
  readonly material: number;
  readonly amount: number;
}

/** The position at which a player picks up items. */
interface PickupProbe {
  readonly kind: "pickupProbe";
  readonly x: number;
  readonly y: number;
}

/** A player's interaction with an object, and its result according to the player. */
interface Interaction {
  readonly kind: "interaction";
  readonly interaction: number;
  readonly x: number;
  readonly y: number;
  readonly material: number;
  readonly result: number;
}

/** Uses the item in hand on a tile. */
interface ActionPrimary {
  readonly kind: "actionPrimary";
  readonly x: number;
  readonly y: number;
  readonly hotbarRow: number;
  readonly hotbarSlot: number;
}

/** Fires a projectile. */
interface FireProjectile {
  readonly kind: "fireProjectile";
  readonly x: number;
  readonly y: number;
  /** Thousandths of a tile per second. */
  readonly velocityMilliX: number;
  readonly velocityMilliY: number;
  readonly damage: number;
  readonly lifetimeTicks: number;
  readonly faction: number;
}

type CommandOf<Kind extends Wire1Command["kind"]> = Extract<Wire1Command, { readonly kind: Kind }>;

/** The id of a command and its fields, in encoding order. */
interface CommandLayout<Command> {
  readonly id: number;
  readonly fields: { readonly [Name in Exclude<keyof Command, "kind">]: Codec<Command[Name]> };
}

/** The id of a command and the codec of its payload. */
interface CommandForm {
  readonly id: number;
  readonly codec: Codec<Wire1Command>;
}

const AXIS_MILLI_MAX = 1_000;

const byte = within(varU16, 0, U8_MAX);
const someU16 = within(varU16, 1, U16_MAX);
const someU32 = within(varU32, 1, U32_MAX);
const flag: Codec<boolean> = {
  write: (out, value) => out.tag(value ? 1 : 0, 2),
  read: (input) => input.tag(2) === 1,
};

const LAYOUTS: { readonly [Kind in Wire1Command["kind"]]: CommandLayout<CommandOf<Kind>> } = {
  jump: { id: 1, fields: {} },
  attack: { id: 2, fields: {} },
  motionInput: {
    id: 3,
    fields: { axisMilli: within(varI32, -AXIS_MILLI_MAX, AXIS_MILLI_MAX), jumps: flag },
  },
  setTile: { id: 10, fields: { x: varI32, y: varI32, material: varU16 } },
  loadChunk: { id: 11, fields: { chunkX: varI32, chunkY: varI32 } },
  unloadChunk: { id: 12, fields: { chunkX: varI32, chunkY: varI32 } },
  collectResource: { id: 20, fields: { resource: someU16, amount: someU32 } },
  spawnDrop: { id: 21, fields: { x: varI32, y: varI32, material: someU16, amount: someU32 } },
  pickupProbe: { id: 22, fields: { x: varI32, y: varI32 } },
  interaction: {
    id: 23,
    fields: { interaction: varU16, x: varI32, y: varI32, material: varU16, result: varU16 },
  },
  actionPrimary: { id: 24, fields: { x: varI32, y: varI32, hotbarRow: byte, hotbarSlot: byte } },
  craftRecipe: { id: 25, fields: { recipe: byte } },
  attackEnemy: { id: 26, fields: {} },
  attackBoss: { id: 27, fields: {} },
  fireProjectile: {
    id: 30,
    fields: {
      x: varI32,
      y: varI32,
      velocityMilliX: varI32,
      velocityMilliY: varI32,
      damage: someU16,
      lifetimeTicks: someU16,
      faction: someU16,
    },
  },
};

const FORMS: ReadonlyMap<string, CommandForm> = new Map(
  Object.entries(LAYOUTS).map(([kind, { id, fields }]) => [kind, { id, codec: codecOf(kind, fields) }]),
);
const FORMS_BY_ID: ReadonlyMap<number, CommandForm> = new Map(
  Array.from(FORMS.values(), (form) => [form.id, form]),
);

/** Returns the form of a command, or `undefined` for an unknown one. */
export function formOf({ kind }: Wire1Command): CommandForm | undefined {
  return FORMS.get(kind);
}

/** Returns the form of a command by id, or `undefined` for an unknown id. */
export function formById(id: number): CommandForm | undefined {
  return FORMS_BY_ID.get(id);
}

function codecOf(kind: string, fields: object): Codec<Wire1Command> {
  const entries = Object.entries<Codec<unknown>>(fields as Record<string, Codec<unknown>>);
  return {
    write(out, command) {
      const values: Readonly<Record<string, unknown>> = { ...command };
      for (const [name, codec] of entries) codec.write(out, values[name]);
    },
    read(input) {
      const values: Record<string, unknown> = { kind };
      for (const [name, codec] of entries) values[name] = codec.read(input);
      return values as unknown as Wire1Command;
    },
  };
}

/** Restricts a field to a range of values. */
function within(codec: Codec<number>, min: number, max: number): Codec<number> {
  return {
    write(out, value) {
      requireInteger(value, min, max);
      codec.write(out, value);
    },
    read(input) {
      const value = codec.read(input);
      if (value >= min && value <= max) return value;
      throw input.fail("ORT_MESSAGE", `${value}, expected ${min} to ${max}`);
    },
  };
}
