import { call, condition } from "../sim/mutation.ts";
import { change, mutant, type SimMutant, without } from "../sim/sim-mutants.ts";

/** Mutants of the rules about names, permissions and what no node wrote. */
export const TRUST_MUTANTS: readonly SimMutant[] = [
  mutant(
    "a process starts although another one has its name",
    without("cluster/Heartbeats.#receiveNamesake", call("#end", 2)),
  ),
  mutant(
    "a process goes on although a later one has its name",
    change("cluster/Heartbeats.#receiveNamesake", condition("#firstRevision"), "false"),
  ),
  mutant(
    "a write that the backbone does not permit is tried forever",
    change(
      "cluster/Retries.until",
      call("isOrthantError"),
      '$ || isOrthantError(error, "ORT_BACKBONE_PERMISSION")',
    ),
  ),
  mutant(
    "a new owner stops at a message that is not a record",
    change("cluster/decodeOwned", condition("isOrthantError"), "true"),
  ),
  mutant(
    "an owner passes over the records of a newer owner",
    change("cluster/readForeign", condition("OrthantError"), "false"),
    change("cluster/readForeign", call("found.push"), "record instanceof OrthantError && $"),
  ),
  mutant(
    "no node replaces an unreadable lease",
    change("cluster/leaseIn", condition("isForeignValue"), "true"),
  ),
  mutant("no node replaces an unreadable map", change("cluster/isMap", condition("isForeignValue"), "true")),
];
