/** One line of a suite, and whether its budget was missed. */
export interface Figure {
  readonly line: string;
  readonly missed: boolean;
}

/** Measures its figures one after the other. */
export type Suite = () => Iterable<Figure> | AsyncIterable<Figure>;

/** A figure that must stay below a budget of its own, in a unit that does not depend on what else the machine does. */
export function atMost(name: string, value: number, unit: string, budget: number, remark: string): Figure {
  const line = `${name}: ${value.toPrecision(3)} ${unit} (budget ${budget}); ${remark}`;
  return { line, missed: !(value <= budget) };
}

/** What one call takes, in time that passes and in time of the processor. */
export interface CallTime {
  readonly wallNs: number;
  readonly cpuNs: number;
}

let kept = 0;

/** Times some calls together; what they return is kept, so that no call can be optimised away. */
export function time(work: () => number, calls: number): CallTime {
  const cpuBefore = process.cpuUsage();
  const start = process.hrtime.bigint();
  for (let call = 0; call < calls; call++) kept = (kept + work()) % 1_000_003;
  const wallNs = Number(process.hrtime.bigint() - start);
  const { user, system } = process.cpuUsage(cpuBefore);
  return { wallNs: wallNs / calls, cpuNs: ((user + system) * 1_000) / calls };
}

/** Times one call that waits for the disk. */
export async function timeAsync(work: () => Promise<unknown>): Promise<CallTime> {
  const cpuBefore = process.cpuUsage();
  const start = process.hrtime.bigint();
  await work();
  const wallNs = Number(process.hrtime.bigint() - start);
  const { user, system } = process.cpuUsage(cpuBefore);
  return { wallNs, cpuNs: (user + system) * 1_000 };
}

/** The middle one of some values. */
export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[sorted.length >>> 1] ?? Number.NaN;
}
