import type { Browser, Page } from "playwright-core";

/** What a page did while somebody flew through its world. */
export interface FlightReport {
  /** Tasks of the page that the browser's performance API calls long: over 50 ms on the clock, whoever took the time. */
  readonly longTasks: number;
  readonly longestTaskMs: number;
  /** The longest task of the page, in time of the processor. */
  readonly longestCpuMs: number;
  /** Tasks of more than 50 ms of the processor. */
  readonly longCpuTasks: number;
}

interface TraceEvent {
  readonly name: string;
  readonly pid: number;
  readonly tid: number;
  /** Microseconds of the processor. */
  readonly tdur?: number;
  readonly args?: { readonly name?: string };
}

declare const longTasks: readonly number[];

const LONG_MS = 50;
const TURN_MS = 700;

/** Flies ahead for a while, and turns; a trace of the browser tells what the page's tasks took. */
export async function fly(browser: Browser, page: Page, seconds: number): Promise<FlightReport> {
  await page.evaluate(watchLongTasks);
  await browser.startTracing(page, { categories: ["disabled-by-default-devtools.timeline"] });
  await page.keyboard.down("Shift");
  await page.keyboard.down("w");
  await page.mouse.move(300, 200);
  await page.mouse.down();
  const endMs = performance.now() + seconds * 1_000;
  for (let turn = 0; performance.now() < endMs; turn++) {
    await page.mouse.move(300 + 60 * Math.sin(turn), 200, { steps: 3 });
    await page.waitForTimeout(TURN_MS);
  }
  await page.mouse.up();
  await page.keyboard.up("w");
  await page.keyboard.up("Shift");
  const trace = await browser.stopTracing();
  const tasks = await page.evaluate(() => longTasks);
  const cpuMs = taskTimes(trace);
  return {
    longTasks: tasks.length,
    longestTaskMs: Math.max(0, ...tasks),
    longestCpuMs: cpuMs.reduce((longest, ms) => Math.max(longest, ms), 0),
    longCpuTasks: cpuMs.filter((ms) => ms > LONG_MS).length,
  };
}

/** The processor's time of each task of the page's own thread. */
function taskTimes(trace: Buffer): readonly number[] {
  const { traceEvents } = JSON.parse(trace.toString()) as { readonly traceEvents: readonly TraceEvent[] };
  const threads = new Set(
    traceEvents
      .filter(({ name, args }) => name === "thread_name" && args?.name === "CrRendererMain")
      .map(({ pid, tid }) => `${pid} ${tid}`),
  );
  return traceEvents
    .filter(({ name, pid, tid }) => name === "RunTask" && threads.has(`${pid} ${tid}`))
    .map(({ tdur = 0 }) => tdur / 1000);
}

/** Runs in the page: notes how long each long task takes. */
function watchLongTasks(): void {
  const tasks: number[] = [];
  Object.assign(globalThis, { longTasks: tasks });
  const observer = new PerformanceObserver((list) =>
    tasks.push(...list.getEntries().map(({ duration }) => duration)),
  );
  observer.observe({ type: "longtask" } as never);
}
