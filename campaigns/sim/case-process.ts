import { type ChildProcess, fork } from "node:child_process";
import { MUTANT_VARIABLE, type SimMutant } from "./sim-mutants.ts";

/** A case for a process to play. */
interface CaseRequest {
  readonly seed: number;
  readonly steps: number;
}

/** An answer of the process. The first one is `ready`. */
type CaseAnswer = { readonly kind: "ready" } | { readonly kind: "done"; readonly fault?: string };

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
        const found = fault ?? (stray === undefined ? undefined : `unhandled rejection: ${String(stray)}`);
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

/** Tests run from sources, the loader as it was built. */
const BUILT = import.meta.url.endsWith(".ts") ? "../../build/campaigns/sim/" : "./";
const MUTANT_LOADER = new URL(`${BUILT}mutant-loader.js`, import.meta.url).href;
/** Time after which a case counts as hung. */
const CASE_MS_MAX = 120_000;

/** A process that plays cases one after the other, with the correct program or a mutant of it. */
export class CaseProcess {
  readonly #program: string;
  readonly #mutant: string | undefined;
  #child: ChildProcess | undefined;

  /** Plays the program in the file `program`. */
  constructor(program: string, mutant?: string) {
    this.#program = program;
    this.#mutant = mutant;
  }

  /** Plays a case and returns its fault, if any. Throws when the program cannot be started. */
  async play(request: CaseRequest): Promise<string | undefined> {
    const child = this.#child ?? (await this.#start());
    const answering = answerOf(child);
    child.send(request);
    const answer = await answering;
    if (answer === undefined) {
      this.close();
      return "the process ended, or would not";
    }
    return answer.kind === "done" ? answer.fault : undefined;
  }

  /** Kills the process. */
  close(): void {
    this.#child?.kill("SIGKILL");
    this.#child = undefined;
  }

  async #start(): Promise<ChildProcess> {
    const mutant = this.#mutant;
    const child = fork(this.#program, {
      execArgv: mutant === undefined ? [] : ["--import", MUTANT_LOADER],
      env: mutant === undefined ? process.env : { ...process.env, [MUTANT_VARIABLE]: mutant },
    });
    const answer = await answerOf(child);
    if (answer?.kind !== "ready") throw new Error(`cannot start a simulation${mutant ? `: ${mutant}` : ""}`);
    this.#child = child;
    return child;
  }
}

/** Returns the next answer of the process; `undefined` when it ends or takes too long. */
function answerOf(child: ChildProcess): Promise<CaseAnswer | undefined> {
  return new Promise((resolve) => {
    const timer = setTimeout(() => finish(undefined), CASE_MS_MAX);
    const onMessage = (message: unknown) => finish(message as CaseAnswer);
    const onExit = () => finish(undefined);
    const finish = (answer: CaseAnswer | undefined) => {
      clearTimeout(timer);
      child.off("message", onMessage);
      child.off("exit", onExit);
      resolve(answer);
    };
    child.on("message", onMessage);
    child.on("exit", onExit);
  });
}

/** Plays cases with a mutant of the program in a file. Returns the first fault that it shows. */
export async function faultOfMutant(
  program: string,
  mutant: string,
  cases: Iterable<CaseRequest>,
): Promise<string | undefined> {
  const player = new CaseProcess(program, mutant);
  try {
    for (const request of cases) {
      const found = await player.play(request);
      if (found !== undefined) return found;
    }
    return undefined;
  } finally {
    player.close();
  }
}

/** Tries mutants, and prints how many show a fault. Returns a failure for each that shows none. */
export async function tryMutants(
  campaign: string,
  mutants: readonly SimMutant[],
  faultOf: (mutant: string) => Promise<string | undefined>,
): Promise<string[]> {
  const missed: string[] = [];
  for (const { fault } of mutants)
    if ((await faultOf(fault)) === undefined) missed.push(`not caught: ${fault}`);
  console.log(`${campaign}: ${mutants.length - missed.length} of ${mutants.length} mutants caught`);
  return missed;
}
