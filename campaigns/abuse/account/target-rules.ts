import { setImmediate } from "node:timers/promises";
import type { GameRules, Limits } from "@orthant/server";

/** What the game of a target does about edits. */
export interface TargetRules {
  readonly rules: GameRules<4>;
  readonly limits?: Partial<Limits>;
}

/** How many turns of the loop a rule of the target waits for something, such as a database. */
const RULE_WAIT_TURNS = 3;
/** A target whose rules look at no single voxel has no limits for them. */
const VOXELS_UNLIMITED = 2 ** 32;

/** Games whose rules about edits are of every kind. None of them rejects an edit. */
export const TARGET_RULES = {
  none: { rules: {} },
  "box and count": {
    rules: {
      beforeEdit: ({ box, source, count }) => (box.unit === source?.unit && count < 0 ? NO : undefined),
      afterEdit: ({ box, count }) => void (box.min[0] > count),
    },
    limits: { ruleVoxelsMax: VOXELS_UNLIMITED, ruleVoxelsPerSecond: VOXELS_UNLIMITED },
  },
  "each voxel": {
    rules: { beforeEdit: ({ changes }) => (changes.every(({ before }) => before >= 0) ? undefined : NO) },
  },
  asynchronous: {
    rules: {
      beforeEdit: async ({ changes }) => {
        for (let turn = 0; turn < RULE_WAIT_TURNS; turn++) await setImmediate();
        return changes.some(({ block }) => block < 0) ? NO : undefined;
      },
    },
  },
  replacing: {
    rules: {
      beforeEdit: ({ changes }) => ({
        replace: Array.from(changes, ({ position, block }) => ({ position, block })),
      }),
    },
  },
  canReach: { rules: { canReach: ({ position: [x] }) => Number.isSafeInteger(x) } },
  afterEdit: { rules: { afterEdit: ({ changes }) => void [...changes].length } },
} as const satisfies Record<string, TargetRules>;

const NO = { reject: "It is impossible." };

/** The name of one of these games. */
export type TargetGame = keyof typeof TARGET_RULES;
