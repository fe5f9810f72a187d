import { Prng } from "@orthant/testkit";
import { type Campaign, FAILURES_MAX, goesOn } from "./campaign.ts";
import { Watchdog } from "./process/watchdog.ts";
import { coreStage } from "./rubbish/core-stage.ts";
import { diskStage } from "./rubbish/disk-stage.ts";
import { formatsStage } from "./rubbish/formats-stage.ts";
import { importsStage } from "./rubbish/imports-stage.ts";
import { looksStage } from "./rubbish/looks-stage.ts";
import { meshStage } from "./rubbish/mesh-stage.ts";
import { openingStage } from "./rubbish/opening-stage.ts";
import { pixelStage } from "./rubbish/pixel-stage.ts";
import { saveStage } from "./rubbish/save-stage.ts";
import { sharedStage } from "./rubbish/shared-stage.ts";
import type { Stage } from "./rubbish/stage.ts";
import { faultOf, nextCall, tryCall } from "./rubbish/try-call.ts";
import { worldStage } from "./rubbish/world-stage.ts";

/** Everything that is called with rubbish. */
export const STAGES: readonly Stage[] = [
  worldStage,
  openingStage,
  sharedStage,
  diskStage,
  meshStage,
  looksStage,
  pixelStage,
  coreStage,
  saveStage,
  formatsStage,
  importsStage,
];

/** Calls of one stage before it is compared and closed. */
const CALLS_PER_STAGE = 250;
const STACK_FRAMES = 5;
const SEED_STEP = 1_000_003;

/** Calls every public function with arguments of every kind. */
export const rubbishCampaign: Campaign = {
  name: "rubbish",
  summary: "wrong arguments to every public function: refused with our error, or stored as shown",
  goal: 200_000,
  unit: "calls",
  resumes: true,
  async run(options) {
    // Enough to find the place, and cheap enough for every refused call.
    Error.stackTraceLimit = STACK_FRAMES;
    const failures = new Map<string, string>();
    const watchdog = new Watchdog("rubbish");
    let recent = "";
    const onRejection = (error: unknown): void => {
      const fault = faultOf(error);
      if (fault !== undefined)
        note(failures, `unhandled ${kindOf(fault)}`, `after ${recent}: unhandled: ${fault}`);
    };
    process.on("unhandledRejection", onRejection);
    process.on("uncaughtException", onRejection);
    let cases = 0;
    let round = options.from;
    try {
      for (; goesOn(cases, options) && failures.size < FAILURES_MAX; round++) {
        for (const stage of STAGES) {
          const prng = new Prng(options.seed + round * SEED_STEP);
          const where = `seed ${options.seed}, round ${round}, ${stage.name}`;
          const calls = await callStage(stage, prng, CALLS_PER_STAGE, (text) => {
            recent = `${where}: ${text}`;
            watchdog.next(recent);
          });
          for (const { kind, text } of calls) note(failures, kind, `${where}: ${text}`);
          cases += CALLS_PER_STAGE;
          options.progress(cases);
        }
      }
    } finally {
      process.off("unhandledRejection", onRejection);
      process.off("uncaughtException", onRejection);
      await watchdog.stop();
    }
    return { cases, failures: [...failures.values()], next: round };
  },
};

/** A broken promise; those of one kind are reported once. */
export interface Fault {
  readonly kind: string;
  readonly text: string;
}

/** Opens a stage, calls its functions and closes it. Returns all that was wrong. */
export async function callStage(
  stage: Stage,
  prng: Prng,
  calls: number,
  onCall: (text: string) => void = () => undefined,
): Promise<readonly Fault[]> {
  const opened = await stage.open(prng);
  const faults: Fault[] = [];
  const history: string[] = [];
  for (let index = 0; index < calls; index++) {
    const call = nextCall(opened.targets, prng);
    history.push(call.text);
    onCall(call.text);
    const fault = await tryCall(call, prng);
    if (fault === undefined) continue;
    faults.push({ kind: kindOf(fault), text: `${call.text}: ${fault}` });
  }
  onCall("finish");
  try {
    for (const fault of await opened.finish()) {
      const [subject = fault] = fault.split(" was ");
      faults.push({ kind: kindOf(subject), text: fault });
    }
  } catch (error) {
    const text = `could not be finished: ${error instanceof Error ? error.stack : String(error)}`;
    faults.push({ kind: kindOf(text), text });
  }
  return faults;
}

function note(failures: Map<string, string>, kind: string, text: string): void {
  if (!failures.has(kind)) failures.set(kind, text);
}

/** Returns the part of a fault that repeats: without numbers, and where it was thrown. */
function kindOf(fault: string): string {
  const [first = "", second = ""] = fault.split("\n");
  return `${first} ${second}`.replace(/\d+/g, "0").slice(0, 120);
}
