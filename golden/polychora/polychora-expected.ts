/** The original loader's result for a save: one `expected.json`. */
export interface ExpectedSave {
  readonly load: "ok" | "error";
  readonly what: string;
  /** For a damaged save: the save that it is a copy of. */
  readonly base?: string;
  readonly manifest: Readonly<Record<string, unknown>>;
  readonly global: ExpectedGlobal;
  readonly index: {
    readonly generation: number;
    readonly region_chunk_edge: number;
    readonly leaves: readonly ExpectedLeaf[];
  };
  readonly players: readonly ExpectedPlayer[];
  readonly chunks: readonly ExpectedChunk[];
  readonly entities: readonly ExpectedEntity[];
  readonly probes: readonly { readonly voxel: Four; readonly material: number }[];
  readonly records: readonly ExpectedRecord[];
  readonly override_payload?: {
    readonly version: number;
    readonly chunks: readonly (readonly [Four, ExpectedPayload])[];
  };
}

/** Four numbers. */
export type Four = readonly [number, number, number, number];
/** Numbers above 2^53 are text. */
export type Big = number | string;

interface ExpectedGlobal {
  readonly base_world_kind: "Empty" | { readonly FlatFloor: { readonly material: number } };
  readonly custom_global_payload_hex: string;
  readonly last_modified_ms: number;
  readonly next_data_file_id: number;
  readonly next_entity_id: Big;
  readonly world_seed: Big;
}

/** A reference to a record. */
export interface ExpectedRef {
  readonly blob_type: number;
  readonly blob_version: number;
  readonly data_file_id: number;
  readonly record_crc32: number;
  readonly record_len: number;
  readonly record_offset: number;
}

interface ExpectedLeaf {
  readonly region: Four;
  readonly block_blob: ExpectedRef | null;
  readonly entity_blob: ExpectedRef | null;
}

/** A player. */
export interface ExpectedPlayer {
  readonly player_id: Big;
  readonly position_bits: readonly string[];
  readonly orientation_bits: readonly string[];
  readonly tags: readonly string[];
  readonly inventory_payload_hex: string;
  readonly last_saved_ms: number;
}

/** An edited chunk. */
export interface ExpectedChunk {
  readonly pos: Four;
  readonly crc32: number;
  readonly empty_override: boolean;
  readonly rle_len_material: readonly (readonly [length: number, material: number])[];
  readonly solid: number;
}

/** An entity. */
export interface ExpectedEntity {
  readonly entity_id: Big;
  readonly class_tag: number;
  readonly kind_tag: number;
  readonly position_bits: readonly string[];
  readonly orientation_bits: readonly string[];
  readonly velocity_bits: readonly string[];
  readonly scale_bits: string;
  readonly material: number;
  readonly display_name: string | null;
  readonly tags: readonly string[];
  readonly payload_hex: string;
  readonly last_saved_ms: number;
}

/** A record of a pack, or torn bytes. */
export interface ExpectedRecord {
  readonly data_file_id: number;
  readonly offset: number;
  readonly torn?: boolean;
  /** Where the original's scan lost its position, after a torn record. */
  readonly trailing_bytes?: number;
  /** The content of the record, or the fact that its checksum is wrong. */
  readonly decoded?: unknown;
  readonly live?: boolean;
  readonly blob_type?: number;
  readonly payload_crc32?: number;
  readonly payload_len?: number;
}

/** A chunk in the override payload. */
export type ExpectedPayload =
  | { readonly Uniform: number }
  | {
      readonly PalettePacked: {
        readonly palette: readonly number[];
        readonly bit_width: number;
        readonly packed_indices: readonly Big[];
      };
    }
  | { readonly Dense16: { readonly materials: readonly number[] } };
