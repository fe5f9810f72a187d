import type { BlockProperties } from "../chunk/block-ids.ts";
import type { VoxelBox } from "../lattice/axes.ts";
import type { Dimensions, Position, Vector } from "../lattice/position.ts";
import type { Clipboard } from "./clipboard.ts";
import type { AxisName, Plane } from "./turn.ts";

// Operations are plain values: they can be stored, sent and compared. Wherever a mask or a pattern is expected, its text
// may stand instead; `parseOperation` and `printOperation` have the grammar.

/** A set of voxels. */
export type Selection<D extends Dimensions = Dimensions> =
  | VoxelBox<D>
  | SphereSelection<D>
  | CylinderSelection<D>
  | PrismSelection<D>
  | ConnectedSelection<D>
  | { readonly union: readonly Selection<D>[] }
  | { readonly intersection: readonly Selection<D>[] }
  /** The voxels of the first that are in none of the others. */
  | { readonly difference: readonly Selection<D>[] };

/** The voxels around one whose centres are at most `radius` and a half away; with a radius for each axis, an ellipsoid. */
export interface SphereSelection<D extends Dimensions = Dimensions> {
  readonly sphere: Position<D>;
  readonly radius: number | Vector<D>;
}

/** A sphere of one dimension less, repeated `height` times along an axis. */
export interface CylinderSelection<D extends Dimensions = Dimensions> {
  /** The middle of its base. */
  readonly cylinder: Position<D>;
  readonly radius: number;
  readonly height: number;
  /** Default: `y`. */
  readonly along?: AxisName;
}

/** The voxels of a box whose centres lie inside of a polygon of voxels' centres: on x and z, in two dimensions on x and y. */
export interface PrismSelection<D extends Dimensions = Dimensions> {
  readonly prism: readonly (readonly [number, number])[];
  readonly within: VoxelBox<D>;
}

/** All voxels that can be reached from one over faces of voxels that a mask accepts. Refused if they are more than `limit`. */
export interface ConnectedSelection<D extends Dimensions = Dimensions> {
  readonly connected: Position<D>;
  readonly through: Mask<D>;
  readonly limit: number;
}

/** A condition on a voxel. */
export type Mask<D extends Dimensions = Dimensions> =
  | string
  | BlockMask
  | { readonly tag: string }
  /** `surface`: not air, with air directly above. `data`: the voxel has data. */
  | { readonly is: "solid" | "surface" | "data" }
  /** Whether the voxel directly below is accepted. */
  | { readonly above: Mask<D> }
  /** Whether the voxel directly above is accepted. */
  | { readonly below: Mask<D> }
  | NextToMask<D>
  | { readonly inside: Selection<D> }
  /** A share of all voxels, from 0 to 1, chosen by the operation's seed. */
  | { readonly chance: number }
  /** A share of all voxels in patches of about `noise` voxels, chosen by the operation's seed. */
  | { readonly noise: number; readonly share: number }
  | { readonly all: readonly Mask<D>[] }
  | { readonly any: readonly Mask<D>[] }
  | { readonly not: Mask<D> }
  /** Whether the voxel that lies `by` away is accepted. */
  | { readonly shifted: Mask<D>; readonly by: Vector<D> };

/** Blocks of a type, with these values of properties; a property that is not named may have any value. */
export interface BlockMask {
  readonly block: string;
  readonly properties?: BlockProperties;
}

/** Whether the number of voxels that share a face and are accepted is at least `least` (1), and at most `most`. */
export interface NextToMask<D extends Dimensions = Dimensions> {
  readonly nextTo: Mask<D>;
  readonly least?: number;
  readonly most?: number;
}

/** What a voxel gets. */
export type Pattern =
  | string
  | BlockPattern
  /** One of several by weight, chosen for each voxel by the operation's seed. */
  | { readonly mixed: readonly WeightedPattern[] }
  /** One of several in patches of about `noise` voxels. */
  | { readonly noise: number; readonly of: readonly Pattern[] }
  /** A clipboard, repeated in all directions, with its lowest corner at the origin. */
  | { readonly repeated: Clipboard };

/** A block. */
export interface BlockPattern {
  /** The name of its type. Omitted: the type that the voxel has. */
  readonly block?: string;
  /** The values of its properties. */
  readonly properties?: BlockProperties;
  /** Whether properties that are not named keep the voxel's values, where it has such a property. Always if `block` is omitted. */
  readonly keep?: boolean;
}

/** A pattern and how often it is chosen among others. */
export interface WeightedPattern {
  readonly weight: number;
  readonly pattern: Pattern;
}

/** A function of the game: returns the new block of a voxel. It must return the same for the same arguments. */
export type BlockChoice<D extends Dimensions = Dimensions> = {
  choose(position: Position<D>, block: number): number;
}["choose"];

/** What all operations may have. */
interface OperationOptions<D extends Dimensions> {
  /** The voxels that it changes or moves. */
  readonly in?: Selection<D>;
  /** Chooses what is random: from 0, the default, to 2^32 - 1. The same operation with the same seed does the same. */
  readonly seed?: number;
}

/** A change of many voxels, as a value. */
export type Operation<D extends Dimensions = Dimensions> = OperationOptions<D> & OperationKind<D>;

/** What an operation does. */
export type OperationKind<D extends Dimensions = Dimensions> =
  /** Sets all voxels. */
  | { readonly set: Pattern | BlockChoice<D> }
  | { readonly replace: Mask<D>; readonly with: Pattern | BlockChoice<D> }
  /** Sets the voxels within `thickness` (1) of the selection's border. */
  | { readonly outline: Pattern; readonly thickness?: number }
  /** Sets those within `thickness` of the border in the directions across `y`. */
  | { readonly walls: Pattern; readonly thickness?: number }
  /** Sets all other voxels of the selection. */
  | { readonly hollow: Pattern; readonly thickness?: number }
  /** Draws straight lines from point to point, or a smooth curve through all, with a sphere as the pen. */
  | { readonly line: readonly Position<D>[]; readonly with: Pattern; readonly radius?: number }
  | { readonly curve: readonly Position<D>[]; readonly with: Pattern; readonly radius?: number }
  /** Sets `depth` (1) voxels of air on top of each surface. */
  | { readonly overlay: Pattern; readonly depth?: number }
  /** Gives what is not air under each surface a top, `depth` (3) voxels of soil, and rock below. */
  | {
      readonly naturalize: readonly [top: Pattern, soil: Pattern, rock: Pattern];
      readonly depth?: number;
    }
  /** Moves the surface of each column to the mean height of the columns around it, this many times. */
  | { readonly smooth: number }
  /** Removes what a mask accepts: sets it to air. */
  | { readonly drain: Mask<D> }
  /** Moves the selection, and leaves air or a pattern. */
  | { readonly move: Vector<D>; readonly leave?: Pattern }
  /** Copies the selection this many times, each `by` away from the one before. */
  | { readonly stack: number; readonly by: Vector<D> }
  /** Turns the content of the selection by quarter turns (1), within the box that has the same lowest corner. */
  | { readonly rotate: Plane; readonly turns?: number }
  /** Mirrors the content of the selection within its box. */
  | { readonly mirror: AxisName }
  /** Pastes a clipboard with its lowest corner at a voxel: those of its voxels that `only` accepts; by default all but air. */
  | { readonly paste: Clipboard; readonly at: Position<D>; readonly only?: Mask<D> }
  /** Makes voxels again as the generator makes them. */
  | { readonly regenerate: true };

/** Cancels an operation: an `AbortSignal`. */
export interface CancelSignal {
  /** Throws if it is cancelled. */
  throwIfAborted(): void;
}
