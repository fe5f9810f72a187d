import { baseEncodingSuites } from "./base-encoding.ts";
import type { GoldenSuite } from "./suite.ts";

/** Every golden file that is read so far. */
export const goldenSuites: readonly GoldenSuite[] = [...baseEncodingSuites];
