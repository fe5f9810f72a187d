import { readFileSync } from "node:fs";
import type { Browser } from "playwright-core";

/** Returns the memory of all pages of a browser with their workers; 0 if the system does not report it. */
export async function rendererBytes(browser: Browser): Promise<number> {
  const session = await browser.newBrowserCDPSession();
  const { processInfo } = await session.send("SystemInfo.getProcessInfo");
  await session.detach();
  return processInfo
    .filter(({ type }) => type === "renderer")
    .reduce((sum, { id }) => sum + residentBytes(id), 0);
}

function residentBytes(processId: number): number {
  try {
    const status = readFileSync(`/proc/${processId}/status`, "utf8");
    return Number(/^VmRSS:\s+(?<kibibytes>\d+) kB$/m.exec(status)?.groups?.["kibibytes"] ?? 0) * 1024;
  } catch {
    return 0; // gone meanwhile, or a system without such files
  }
}
