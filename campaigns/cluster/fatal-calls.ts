import type { Backbone, BackboneTable, ClusterFolders, Journal, JournalRecord } from "@orthant/cluster";
import { leaseKey, mapKey } from "@orthant/cluster/internal";
import { type FatalCall, say } from "./member.ts";

/** The tag of a split among the records of a journal. */
const SPLIT_TAG = 2;

/**
 * Kills this process, as `kill -9` does, before a chosen one of the calls by which a node hands over or divides a
 * shard. The calls are those that other nodes can see: leases, the map, folders, journals and control records.
 */
export class FatalCalls {
  readonly #world: string;
  #shard = "";
  #call: FatalCall | undefined;

  constructor(world: string) {
    this.#world = world;
  }

  /** Dies before the next call of this kind about `shard`; never, if the kind is omitted. */
  arm(shard: string, call?: FatalCall): void {
    this.#shard = shard;
    this.#call = call;
  }

  /** Returns a backbone whose calls may be fatal. */
  backbone(backbone: Backbone): Backbone {
    return {
      table: this.#table(backbone.table),
      journal: async (world, shard, firstSequence) => {
        await this.#pass(shard, "making the journal");
        return this.#journal(await backbone.journal(world, shard, firstSequence), shard);
      },
      findJournal: async (world, shard) => {
        await this.#pass(shard, "looking for the journal");
        const journal = await backbone.findJournal(world, shard);
        return journal && this.#journal(journal, shard);
      },
      removeJournal: (world, shard) => backbone.removeJournal(world, shard),
      follow: (world, sector, listener) => backbone.follow(world, sector, listener),
      respond: async (address, answer) => {
        if (address.includes(`.${this.#shard}.`)) await this.#pass(this.#shard, "answering requests");
        return backbone.respond(address, answer);
      },
      request: (address, request, timeoutMs) => backbone.request(address, request, timeoutMs),
      broadcast: (topic, bytes) => backbone.broadcast(topic, bytes),
      listen: (topic, listener) => backbone.listen(topic, listener),
      onStatus: (listener) => backbone.onStatus(listener),
      close: () => backbone.close(),
    };
  }

  /** Returns folders whose changes may be fatal. */
  folders(folders: ClusterFolders): ClusterFolders {
    const shardOf = (path: string): string => path.split("/")[2] ?? "";
    return {
      names: (path) => folders.names(path),
      make: async (path) => {
        await this.#pass(shardOf(path), "making the folder");
        await folders.make(path);
      },
      move: async (from, to) => {
        await this.#pass(shardOf(from), "renaming the folder");
        await folders.move(from, to);
      },
      disk: (path) => folders.disk(path),
    };
  }

  #table(table: BackboneTable): BackboneTable {
    return {
      get: async (key) => {
        if (key === leaseKey(this.#world, this.#shard)) await this.#pass(this.#shard, "reading the lease");
        return table.get(key);
      },
      put: (key, value) => table.put(key, value),
      swap: async (key, value, expected) => {
        if (key === leaseKey(this.#world, this.#shard)) await this.#pass(this.#shard, "writing the lease");
        if (key === mapKey(this.#world)) await this.#pass(this.#shard, "writing the map");
        return table.swap(key, value, expected);
      },
      watch: (prefix, listener) => table.watch(prefix, listener),
    };
  }

  #journal(journal: Journal, shard: string): Journal {
    return {
      state: () => journal.state(),
      append: async (records, expectedLast) => {
        if (records.some(isSplit)) await this.#pass(this.#shard, "recording the split");
        else if (records.some(({ subject }) => subject.kind === "control"))
          await this.#pass(shard, "recording the term");
        return journal.append(records, expectedLast);
      },
      read: (from, to) => journal.read(from, to),
      trim: (upTo) => journal.trim(upTo),
      reserve: (bytes) => journal.reserve(bytes),
    };
  }

  /** The call that was chosen never happens. */
  async #pass(shard: string, call: FatalCall): Promise<void> {
    if (call !== this.#call || shard !== this.#shard) return;
    await new Promise<never>(() => {
      say({ kind: "dying", call }, () => process.kill(process.pid, "SIGKILL"));
    });
  }
}

function isSplit({ subject, bytes }: JournalRecord): boolean {
  return subject.kind === "control" && bytes[1] === SPLIT_TAG;
}
