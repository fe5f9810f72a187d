import { type Dimensions, isOrthantError } from "@orthant/core";
import {
  callback,
  checkedOptions,
  type OptionTable,
  requireFunction,
  unchecked,
  whole,
} from "@orthant/core/arguments";
import { Axes } from "@orthant/core/lattice";
import { SyncServer } from "@orthant/protocol/server";
import type { World } from "@orthant/world";
import { syncRulesOf } from "../sync/checked-rules.ts";
import { type GameRules, requireRules } from "../sync/game-rules.ts";
import { operationLimitsOf } from "../sync/operation-options.ts";
import { syncWorldOf } from "../sync/sync-world-of.ts";
import { steadyTime, TickTimer } from "../sync/tick-timer.ts";

/** Options of a world in a worker. All are optional. */
export interface WorkerOptions<D extends Dimensions = Dimensions> {
  /** The rules of the game, as those of a server. */
  readonly rules?: GameRules<D>;
  /** Interval between frames to the page; 50 by default. */
  readonly tickMs?: number;
  /** Called with what failed where no call could return it. By default, it is thrown, for the worker's `error` event. */
  readonly onError?: (error: unknown) => void;
  /** Where the page's messages arrive, if not in this worker's global scope: one end of a `MessageChannel`. */
  readonly scope?: WorkerScope;
}

/** What receives the messages of a page: a worker's global scope, or one end of a channel. */
type WorkerScope = EventTarget & { start?(): void };

/** The parts of a `MessagePort` that this uses. */
interface Port {
  onmessage: ((event: { readonly data: unknown }) => void) | null;
  postMessage(message: unknown, transfer?: readonly ArrayBufferLike[]): void;
  close(): void;
}

declare const MessagePort: abstract new () => Port;

const TICK_MS = 50;
const TICK_MS_MAX = 1_000;
/** The player of a world that one person has. */
const PLAYER_ID = 1n;
const FAILURE_CLOSE_CODE = 1011;

const OPTIONS: OptionTable<WorkerOptions> = {
  rules: requireRules,
  tickMs: whole(1, TICK_MS_MAX),
  onError: callback,
  scope: unchecked,
};

/**
 * Shares a world with the page that started this worker: there, `connect(worker)` joins it as it would join a server's.
 * `open` is called when the page connects, and again when it failed before. Call this before the first `await` of the
 * worker, so that no message is missed.
 *
 * @example
 * serveWorker(async () => openWorld(await OpfsDisk.open("my-world"), { durability: "journal" }));
 */
export function serveWorker<D extends Dimensions>(
  open: () => Promise<World<D>>,
  given: WorkerOptions<D> = {},
): void {
  const table = OPTIONS as unknown as OptionTable<WorkerOptions<D>>;
  const { scope = globalThis as unknown as WorkerScope, ...options } = checkedOptions(
    "the options",
    given,
    table,
  );
  const server = new WorkerServer(requireFunction("open", open), options);
  scope.addEventListener("message", (event: object) => {
    const { orthantPort: port }: { orthantPort?: unknown } = Object(Object(event).data);
    if (port instanceof MessagePort) void server.connect(port);
  });
  scope.start?.();
}

/** A world, and the pages that see it. */
class WorkerServer<D extends Dimensions> {
  readonly #open: () => Promise<World<D>>;
  readonly #options: Omit<WorkerOptions<D>, "scope">;
  #sync: Promise<SyncServer> | undefined;

  constructor(open: () => Promise<World<D>>, options: Omit<WorkerOptions<D>, "scope">) {
    this.#open = open;
    this.#options = options;
  }

  /** Carries the frames of a client between its port and the sync server. */
  async connect(port: Port): Promise<void> {
    const end = (reason: string): void => {
      port.postMessage({ code: FAILURE_CLOSE_CODE, reason });
      port.close();
    };
    try {
      this.#sync ??= this.#serve();
      const sync = await this.#sync;
      const session = sync.connect({
        send(frame) {
          const { buffer } = frame.slice(); // of its own, which can move to another thread
          port.postMessage(buffer, [buffer]);
        },
        close({ detail }) {
          end(detail);
          queueMicrotask(() => session.disconnected());
        },
      });
      port.onmessage = ({ data }: { readonly data: unknown }) => {
        if (data instanceof ArrayBuffer) return session.receive(new Uint8Array(data));
        port.close();
        session.disconnected();
      };
      port.postMessage("open");
    } catch (error) {
      // The next connection tries again: another tab may have closed the world by then.
      this.#sync = undefined;
      end(isOrthantError(error) ? error.detail : String(error));
    }
  }

  async #serve(): Promise<SyncServer> {
    const { rules = {}, tickMs = TICK_MS, onError = throwLater } = this.#options;
    const world = await this.#open();
    const { engine, dataCodec } = world;
    const syncWorld = await syncWorldOf(engine);
    const sync = new SyncServer({
      world: syncWorld,
      time: steadyTime,
      authorize: async ({ name }) => ({ playerId: PLAYER_ID, role: "builder", name }),
      acknowledge: "applied",
      operations: operationLimitsOf({ builder: {} }),
      tickMs,
      rules: syncRulesOf(
        rules,
        {
          axes: new Axes<D>(engine.shape),
          world: syncWorld,
          dataCodec,
          transactionOf: (transaction) => world.shownTransaction(transaction),
        },
        (_, error) => onError(error),
      ),
      events: { onFailure: onError },
    });
    engine.steps.addPlayers(() => sync.players);
    engine.onFailure(onError);
    new TickTimer(steadyTime, tickMs, () => sync.tick());
    return sync;
  }
}

function throwLater(error: unknown): void {
  queueMicrotask(() => {
    throw error;
  });
}
