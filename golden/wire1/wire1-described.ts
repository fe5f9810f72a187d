import { TILES_PER_CHUNK, type TileChunk } from "@orthant/core/chunk";
import type { Wire1Message } from "@orthant/protocol/internal";
import type { Wire1Command } from "@orthant/protocol/wire1";

/** The description of a message in the golden files. */
export interface DescribedMessage {
  readonly name: string;
  readonly kind: "control" | "command" | "chunk_snapshot" | "chunk_snapshot_batch";
  readonly fields: {
    readonly control?: string;
    readonly player_id?: number;
    readonly command?: string;
    readonly payload?: Readonly<Record<string, number>>;
    readonly chunk_count?: number;
    readonly chunk_x?: number;
    readonly chunk_y?: number;
    readonly tiles?: string;
    readonly chunks?: string | readonly DescribedChunk[];
  };
}

interface DescribedChunk {
  readonly chunk_x: number;
  readonly chunk_y: number;
  readonly tiles: string | readonly number[];
}

/** Our names for the original's commands. */
const KINDS: Readonly<Record<string, Wire1Command["kind"]>> = {
  jump: "jump",
  attack: "attack",
  "player.motion_input": "motionInput",
  "world.set_tile": "setTile",
  "world.load_chunk": "loadChunk",
  "world.unload_chunk": "unloadChunk",
  "gameplay.collect_resource": "collectResource",
  "gameplay.spawn_drop": "spawnDrop",
  "gameplay.pickup_probe": "pickupProbe",
  "gameplay.interaction": "interaction",
  "gameplay.action_primary": "actionPrimary",
  "gameplay.craft_recipe": "craftRecipe",
  "gameplay.attack_enemy": "attackEnemy",
  "gameplay.attack_boss": "attackBoss",
  "combat.fire_projectile": "fireProjectile",
};
const FIELDS: Readonly<Record<string, string>> = {
  move_axis_milli: "axisMilli",
  input_flags: "jumps",
  tile_x: "x",
  tile_y: "y",
  target_tile_x: "x",
  target_tile_y: "y",
  origin_tile_x: "x",
  origin_tile_y: "y",
  material_id: "material",
  target_material_id: "material",
  chunk_x: "chunkX",
  chunk_y: "chunkY",
  resource_id: "resource",
  amount: "amount",
  interaction_type: "interaction",
  result_code: "result",
  hotbar_row: "hotbarRow",
  hotbar_slot: "hotbarSlot",
  recipe_index: "recipe",
  velocity_milli_x: "velocityMilliX",
  velocity_milli_y: "velocityMilliY",
  damage: "damage",
  lifetime_ticks: "lifetimeTicks",
  faction: "faction",
};

/** Tile contents by their description. */
const TILES: Readonly<Record<string, (index: number) => number>> = {
  "1024 x 0": () => 0,
  "tiles[i]=i": (index) => index,
  "tiles[i]=0xff00+(i&255)": (index) => 0xff00 + (index & 0xff),
};

/** Returns the message that a row describes; `undefined` when the row does not describe its tiles. */
export function describedMessage({ kind, fields }: DescribedMessage): Wire1Message | undefined {
  switch (kind) {
    case "control":
      return { kind: "control", control: (fields.control ?? "").toLowerCase() as "syn" };
    case "command":
      return { kind: "command", playerId: fields.player_id ?? -1, command: commandOf(fields) };
    case "chunk_snapshot": {
      const chunk = chunkOf({
        chunk_x: fields.chunk_x ?? 0,
        chunk_y: fields.chunk_y ?? 0,
        tiles: fields.tiles ?? "",
      });
      return chunk && { kind: "chunk", chunk };
    }
    case "chunk_snapshot_batch": {
      if (typeof fields.chunks === "string") return undefined;
      const chunks = (fields.chunks ?? []).flatMap((chunk) => chunkOf(chunk) ?? []);
      return chunks.length === fields.chunk_count ? { kind: "batch", chunks } : undefined;
    }
  }
}

function commandOf({ command = "", payload = {} }: DescribedMessage["fields"]): Wire1Command {
  const values = Object.entries(payload).map(([name, value]) => {
    const ours = FIELDS[name] ?? name;
    return [ours, ours === "jumps" ? value === 1 : value];
  });
  return { kind: KINDS[command], ...Object.fromEntries(values) } as Wire1Command;
}

function chunkOf({ chunk_x: x, chunk_y: y, tiles }: DescribedChunk): TileChunk | undefined {
  const fill = typeof tiles === "string" ? TILES[tiles] : undefined;
  return fill && { x, y, tiles: Uint16Array.from({ length: TILES_PER_CHUNK }, (_, index) => fill(index)) };
}
