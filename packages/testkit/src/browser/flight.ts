import type { Browser, Page } from "playwright-core";

/** Tasks of a page's main thread, during some work. */
export interface TaskReport {
  /** Tasks that the browser's performance API calls long: over 50 ms of wall time, preempted or not. */
  readonly longTasks: number;
  readonly longestTaskMs: number;
  /** CPU time of the page's longest task. */
  readonly longestCpuMs: number;
  /** Tasks of more than 50 ms of CPU time. */
  readonly longCpuTasks: number;
}

interface TraceEvent {
  readonly name: string;
  readonly pid: number;
  readonly tid: number;
  /** CPU time in microseconds. */
  readonly tdur?: number;
  readonly args?: { readonly name?: string };
}

declare const longTasks: readonly number[];

const LONG_MS = 50;
const TURN_MS = 700;

/** Flies ahead for a while, turning, and measures the page's tasks. */
export async function fly(browser: Browser, page: Page, seconds: number): Promise<TaskReport> {
  return tasksDuring(browser, page, async () => {
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
  });
}

/** Measures a page's tasks during some work, with a browser trace. */
export async function tasksDuring(
  browser: Browser,
  page: Page,
  work: () => Promise<unknown>,
): Promise<TaskReport> {
  await page.evaluate(watchLongTasks);
  await browser.startTracing(page, { categories: ["disabled-by-default-devtools.timeline"] });
  await work();
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

/** Returns the CPU time of each task on the page's main thread. */
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

/** Runs in the page: records the duration of each long task. */
function watchLongTasks(): void {
  const tasks: number[] = [];
  Object.assign(globalThis, { longTasks: tasks });
  const observer = new PerformanceObserver((list) =>
    tasks.push(...list.getEntries().map(({ duration }) => duration)),
  );
  observer.observe({ type: "longtask" } as never);
}
