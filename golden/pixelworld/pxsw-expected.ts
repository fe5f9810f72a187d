/** A description of a pixel world; see the README of the golden folder. */
export interface ExpectedPixelWorld {
  readonly file: string;
  readonly dialect: "native-WXSP" | "web-PXSV";
  readonly expect: "ok" | "damaged";
  readonly header?: {
    readonly world_seed: string;
    readonly creation_time: number;
    readonly modified_time: number;
    readonly chunk_count: number;
  };
  readonly chunks?: readonly ExpectedPixelChunk[];
  readonly bodies?: readonly ExpectedPixelBody[];
  readonly dead_bytes?: number;
  readonly salvage_chunks?: readonly string[] | null;
  readonly salvage_bodies?: readonly string[] | null;
}

/** A chunk, and what it was made from. */
export interface ExpectedPixelChunk {
  readonly x: number;
  readonly y: number;
  readonly storage_type: "Empty" | "Delta" | "Full";
  readonly raw_sha256: string;
  readonly samples_xy_mcdf: readonly (readonly [number, number, number, number, number, number])[];
  readonly delta_entries?: number;
}

/** A body, as in its record. */
export interface ExpectedPixelBody {
  readonly index: { readonly stable_id: string; readonly chunk: readonly [number, number] };
  readonly record: {
    readonly stable_id: string;
    readonly position: readonly [number, number];
    readonly rotation: number;
    readonly linear_velocity: readonly [number, number];
    readonly angular_velocity: number;
    readonly width: number;
    readonly height: number;
    readonly origin: readonly [number, number];
    readonly pixels_hex: string;
    readonly packed_mask_hex: string;
    readonly shape_mask: string;
    readonly extension_hex: string;
  };
}
