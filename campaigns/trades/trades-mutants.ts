import { argument, call, condition, value } from "../sim/mutation.ts";
import { change, mutant, type SimMutant, without } from "../sim/sim-mutants.ts";

/** Programs whose transactions are not whole, not alone, or not durable. */
export const TRADES_MUTANTS: readonly SimMutant[] = [
  mutant(
    "a transaction does not look whether voxels and players are as it read them",
    change("world/EngineTransactions.#end", condition("isCurrent"), "false"),
  ),
  mutant(
    "a transaction does not look whether keys are as it read them",
    change("world/EngineTransaction.keyChanges", condition("optionalBytesEqual", "seen"), "false"),
  ),
  mutant(
    "a transaction whose function throws is made",
    change("world/EngineTransactions.#end", value("isChange"), "transaction.isChange"),
  ),
  mutant(
    "a transaction is acknowledged before it is durable",
    change("world/EngineTransactions.#run", argument("queue.run", 1), "undefined"),
  ),
  mutant(
    "a journal leaves out the voxels of a transaction",
    change("world/EngineTransactions.#apply", value("chunks", 1), "[]"),
  ),
  mutant(
    "a journal leaves out the players of a transaction",
    change("world/EngineTransactions.#apply", value("players", 1), "[]"),
  ),
  mutant(
    "a journal leaves out the keys of a transaction",
    change("world/EngineTransactions.#apply", value("store"), "[]"),
  ),
  mutant(
    "the store is changed a little later than the voxels",
    change("world/EngineTransactions.#apply", call("store.putAll"), "void setTimeout(() => $)"),
  ),
  mutant(
    "the players are changed a little later than the voxels",
    change("world/EngineTransactions.#apply", call("putPlayer"), "void setTimeout(() => $)"),
  ),
  mutant(
    "a save leaves out the players of a transaction",
    without("world/WorldContent.putPlayer", call("players.add")),
  ),
  mutant(
    "a replay leaves out the players of a transaction",
    without("world/Replay.#transaction", call("upsertPlayer")),
  ),
  mutant(
    "a replay leaves out the keys of a transaction",
    without("world/Replay.#transaction", call("restore")),
  ),
];
