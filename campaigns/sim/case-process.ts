/** A case for a process to play. */
export interface CaseRequest {
  readonly seed: number;
  readonly steps: number;
}

/** An answer of the process. The first one is `ready`. */
export type CaseAnswer = { readonly kind: "ready" } | { readonly kind: "done"; readonly fault?: string };

/** Makes this process play the cases that it receives. An unhandled rejection counts as a fault. */
export function playCases(faultOf: (request: CaseRequest) => Promise<string | undefined>): void {
  let stray: unknown;
  process.on("unhandledRejection", (reason) => {
    stray ??= reason ?? "nothing";
  });
  process.on("message", (request: CaseRequest) => {
    stray = undefined;
    faultOf(request).then(
      (fault) => {
        const found = fault ?? (stray === undefined ? undefined : `nobody waited for: ${String(stray)}`);
        answer(found === undefined ? { kind: "done" } : { kind: "done", fault: found });
      },
      (error: unknown) => answer({ kind: "done", fault: String(error) }),
    );
  });
  answer({ kind: "ready" });
}

function answer(message: CaseAnswer): void {
  process.send?.(message);
}
