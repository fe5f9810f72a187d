import { OrthantError } from "@orthant/core";
import { type Disk, MemoryDisk } from "@orthant/disk";
import { atFileAsync, attempt, findingOf, isDamage } from "@orthant/disk/files";
import { verifySave } from "@orthant/save";
import { closing } from "../format/closing.ts";
import type { Format, FormatRequest } from "../format/format.ts";
import { ImportConversion } from "./import-conversion.ts";
import type { ImportedKind, ImportSource } from "./import-source.ts";
import { LocalImportTasks } from "./local-tasks.ts";

/** Maximum number of steps of a world that is opened in memory: columns, chunks or blocks. */
const OPENED_STEPS_MAX = 16_384;

/** Steps from which threads are worth the time that they take to start. */
const THREADED_STEPS_MIN = 512;

/** Returns the format of worlds of another program. */
export function importedFormat(kind: ImportedKind): Format {
  const opened = ({ disk, world, values }: FormatRequest): Promise<ImportSource> =>
    atFileAsync({ path: world.evidence }, () => kind.openSource(disk, world, values));

  return {
    name: kind.name,
    title: kind.title,
    ...(kind.options && { options: kind.options }),
    targets: ["orthant"],
    detect: (disk, file) => kind.detect(disk, file),
    info: (request) => closing(opened(request), async ({ info }) => info),

    async verify(request) {
      const [source, error] = await attempt(() => opened(request));
      if (source !== undefined) return closing(Promise.resolve(source), () => source.verify());
      if (!isDamage(error)) throw error;
      return [findingOf(error, request.world.evidence)];
    },

    open: (request): Promise<Disk> =>
      closing(opened(request), async (source) => {
        const steps = stepsOf(source);
        if (steps > OPENED_STEPS_MAX) {
          const detail = `a world of ${steps} parts, and at most ${OPENED_STEPS_MAX} are opened in memory`;
          throw new OrthantError("ORT_LIMIT", `${detail}: orthant convert converts it to an Orthant world`);
        }
        const made = new MemoryDisk();
        await new ImportConversion(source).run(made, () => undefined);
        return made;
      }),

    async convert(request) {
      const source = await opened(request);
      const isLarge = source.fingerprint !== undefined && stepsOf(source) >= THREADED_STEPS_MIN;
      const own = new LocalImportTasks(source);
      const tasks = isLarge ? request.startImport?.(kind.name, own) : undefined;
      const generator = request.generator?.(source.seed ?? 0n);
      const conversion = new ImportConversion(source, tasks ?? own, generator);
      return {
        from: kind.name,
        to: "orthant",
        unit: "chunks",
        steps: stepsOf(source),
        run: (target, onStep) => conversion.run(target, onStep),
        verify: (made) => verifySave(made),
        close: () => conversion.close(),
        ...(source.fingerprint !== undefined && { resume: (target) => conversion.resume(target) }),
      };
    },
  };
}

function stepsOf({ pieces }: ImportSource): number {
  return pieces.reduce((sum, steps) => sum + steps, 0);
}
