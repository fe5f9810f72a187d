import { type Disk, type DiskCall, GatedDisk } from "@orthant/disk";

/** What happens before an operation: nothing, or a wait. */
export type Delay = (operation: DiskCall["operation"], path: string) => Promise<void> | undefined;

/** A disk with slow files, so that a test decides what else happens meanwhile. */
export class SlowDisk extends GatedDisk {
  delay: Delay = () => undefined;
  /** Number of open files. */
  openFiles = 0;

  constructor(disk: Disk) {
    super(disk, async ({ operation, path }, happen) => {
      // It is a sync too.
      await this.delay(operation === "writeDurably" ? "sync" : operation, path);
      const result = await happen();
      if (operation === "open") this.openFiles++;
      if (operation === "close") this.openFiles--;
      return result;
    });
  }

  /** Holds the next call of an operation. Returns when it is reached, and a function that releases it. */
  holdNext(operation: Parameters<Delay>[0], path: RegExp): { reached: Promise<void>; release: () => void } {
    let release = (): void => undefined;
    let reach = (): void => undefined;
    const released = new Promise<void>((resolve) => {
      release = resolve;
    });
    const reached = new Promise<void>((resolve) => {
      reach = resolve;
    });
    this.delay = (called, at) => {
      if (called !== operation || !path.test(at)) return undefined;
      this.delay = () => undefined;
      reach();
      return released;
    };
    return { reached, release };
  }
}
