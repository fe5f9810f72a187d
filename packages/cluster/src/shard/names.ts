import { floorDivide, OrthantError, type Place, placeFrom, requireInteger } from "@orthant/core";

/** Regions along each edge of a cell: what is followed, and what shards are made of. */
export const CELL_EDGE_REGIONS = 4;

/** A name of a world, a node or a shard: it becomes a part of subjects, keys and folders. Rule K1. */
const NAME = /^[a-z0-9][a-z0-9-]{0,31}$/;
const PLACE_NAME = /^(0|-?[1-9]\d{0,9})_(0|-?[1-9]\d{0,9})_(0|-?[1-9]\d{0,9})_(0|-?[1-9]\d{0,9})$/;

/** Throws `ORT_ARGUMENT` for a name that is none. */
export function requireName(name: string, what: string): void {
  if (isName(name)) return;
  throw new OrthantError(
    "ORT_ARGUMENT",
    `${JSON.stringify(name)} is no name for a ${what}: 1 to 32 of a-z, 0-9 and "-", and no "-" first`,
  );
}

/** Whether a text may be a name. */
export function isName(name: string): boolean {
  return NAME.test(name);
}

/** The cell that a region lies in. Rule K2. */
export function cellOfRegion(region: Place): Place {
  return placeFrom((axis) => floorDivide(region[axis], CELL_EDGE_REGIONS));
}

/** The name of a cell or a region: its four coordinates with `_` between them. Rule K3. */
export function nameOfPlace(place: Place): string {
  return place.join("_");
}

/** The cell or region of a name; `ORT_ARGUMENT` for any other spelling than {@link nameOfPlace} has. */
export function placeOfName(name: string): Place {
  const parts = PLACE_NAME.exec(name);
  if (parts === null) throw new OrthantError("ORT_ARGUMENT", `${JSON.stringify(name)} names no place`);
  return placeFrom((axis) => Number(parts[axis + 1]));
}

/** The key under which it is written who owns a shard. Rule K4. */
export function leaseKey(world: string, shard: string): string {
  return `own.${world}.${shard}`;
}

/** What the keys of all leases of a world begin with. */
export function leasePrefix(world: string): string {
  return `own.${world}.`;
}

/** The key that a node of a world writes again and again while it lives. */
export function beatKey(world: string, node: string): string {
  return beatPrefix(world) + node;
}

/** What the keys of all beats of a world begin with. */
export function beatPrefix(world: string): string {
  return `beat.${world}.`;
}

/** The key of a world's shard map. */
export function mapKey(world: string): string {
  return `map.${world}`;
}

/** Where the owner of a shard answers, in one epoch: whoever owned it before is not asked any more. Rule K5. */
export function ownerAddress(world: string, shard: string, epoch: number): string {
  requireInteger(epoch, 1, Number.MAX_SAFE_INTEGER);
  return `i.${world}.${shard}.${epoch}`;
}

/** Where a node answers whoever looks after the cluster. */
export function nodeAddress(world: string, node: string): string {
  return `n.${world}.${node}`;
}

/** What gateways tell each other about players in a cell is told there. */
export function presenceTopic(world: string, cell: string): string {
  return `p.${world}.${cell}`;
}
