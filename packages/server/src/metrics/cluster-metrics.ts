import { Gauge, type Registry } from "prom-client";
import { showCount, showGauge } from "./shown-metrics.ts";

/** A shard that this process owns. */
export interface OwnedShard {
  readonly shard: string;
  readonly term: number;
  /** Journal content that no save contains yet. */
  readonly unsavedRecords: number;
  readonly unsavedBytes: number;
  /** Time since its last save. */
  readonly savedAgoMs: number;
  /** True while the shared folder refuses its saves. */
  readonly isSaveRefused: boolean;
}

/** State of a process that owns shards. */
export interface OwnerCounts {
  readonly owned: readonly OwnedShard[];
  /** Counts since the process started: shards claimed, shards lost or given up, and journals found lost. */
  readonly claimed: number;
  readonly lost: number;
  readonly journalsLost: number;
  /** Shards of the world that no node has owned for some time. `/readyz` of a gateway fails while there are some. */
  readonly vacant: readonly string[];
}

/** State of this process as a part of a cluster. */
export interface ClusterCounts extends OwnerCounts {
  /** Regions followed for players, edits that no owner has answered, and whether edits wait because the backbone is away. */
  readonly regions: number;
  readonly openEdits: number;
  readonly isBackboneAway: boolean;
  /** Players of other gateways that players here may see. */
  readonly distantPlayers: number;
}

/** Registers the metrics of a part of a cluster. */
export function registerClusterMetrics(registry: Registry, counts: () => ClusterCounts): void {
  registerOwnerMetrics(registry, counts);
  const gauge = (name: string, help: string, value: () => number): void =>
    showGauge(registry, name, help, value);
  gauge("orthant_gateway_regions", "Regions that this gateway follows for players.", () => counts().regions);
  gauge("orthant_gateway_open_edits", "Edits that no owner has answered yet.", () => counts().openEdits);
  gauge(
    "orthant_gateway_distant_players",
    "Players of other gateways in sectors that players here watch.",
    () => counts().distantPlayers,
  );
  gauge("orthant_gateway_engine_away", "1 while edits wait because NATS is away.", () =>
    counts().isBackboneAway ? 1 : 0,
  );
}

/** Registers the metrics of the shards that this process owns. */
export function registerOwnerMetrics(registry: Registry, counts: () => OwnerCounts): void {
  const registers = [registry];
  const perShard = (name: string, help: string, value: (shard: OwnedShard) => number): void => {
    new Gauge({
      ...{ name, help, labelNames: ["shard"], registers },
      collect() {
        // Drops shards that another process owns now; that process reports them.
        this.reset();
        for (const owned of counts().owned) this.set({ shard: owned.shard }, value(owned));
      },
    });
  };
  const counter = (name: string, help: string, value: () => number): void =>
    showCount(registry, name, help, value);
  perShard("orthant_shard_term", "Term of the shard's owner.", ({ term }) => term);
  perShard(
    "orthant_shard_unsaved_records",
    "Records of a shard's journal that no save contains.",
    ({ unsavedRecords }) => unsavedRecords,
  );
  perShard("orthant_shard_unsaved_bytes", "Bytes of these records.", ({ unsavedBytes }) => unsavedBytes);
  perShard(
    "orthant_shard_saved_ago_seconds",
    "Time since a shard was saved.",
    ({ savedAgoMs }) => savedAgoMs / 1000,
  );
  perShard(
    "orthant_shard_save_refused",
    "1 while the shared folder refuses the saves of a shard.",
    ({ isSaveRefused }) => (isSaveRefused ? 1 : 0),
  );
  const vacant = (): number => counts().vacant.length;
  const help = "Shards of the world that no node has owned for ten seconds.";
  showGauge(registry, "orthant_shards_vacant", help, vacant);
  counter("orthant_shards_claimed_total", "Shards that this node claimed.", () => counts().claimed);
  counter(
    "orthant_shards_lost_total",
    "Shards that other nodes claimed from this node, or that it could not keep.",
    () => counts().lost,
  );
  counter(
    "orthant_journals_lost_total",
    "Journals that were lost with edits in them.",
    () => counts().journalsLost,
  );
}

/** Returns the reason that `/readyz` gives while shards have no owner; `undefined` if all have one. */
export function vacancy({ vacant }: OwnerCounts): string | undefined {
  return vacant.length === 0
    ? undefined
    : `no node owns ${vacant.length === 1 ? "shard" : "shards"} ${vacant.join(", ")}`;
}
