import { faultOfCase } from "./simulation.ts";

/** A case that a process is asked to play. */
export interface CaseRequest {
  readonly seed: number;
  readonly steps: number;
}

/** What it answers; first of all that it is there. */
export type CaseAnswer = { readonly kind: "ready" } | { readonly kind: "done"; readonly fault?: string };

let stray: unknown;
process.on("unhandledRejection", (reason) => {
  stray ??= reason ?? "nothing";
});

process.on("message", ({ seed, steps }: CaseRequest) => {
  stray = undefined;
  faultOfCase(seed, steps).then((fault) => {
    const found = fault ?? (stray === undefined ? undefined : `nobody waited for: ${String(stray)}`);
    answer(found === undefined ? { kind: "done" } : { kind: "done", fault: found });
  }, fail);
});

answer({ kind: "ready" });

function answer(message: CaseAnswer): void {
  process.send?.(message);
}

function fail(error: unknown): void {
  answer({ kind: "done", fault: String(error) });
}
