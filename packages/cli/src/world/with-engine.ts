import { type EngineOptions, openWorldEngine, type WorldEngine } from "@orthant/world/engine";
import type { Context } from "../command/context.ts";
import { requireNative } from "./found-world.ts";

/** Opens an Orthant world for one command, which saves when it says so, and closes it afterwards. */
export async function withEngine<Value>(
  folder: string,
  options: Pick<EngineOptions, "readOnly" | "retention" | "durability">,
  context: Context,
  use: (world: WorldEngine) => Promise<Value>,
): Promise<Value> {
  const disk = await context.openDisk(folder);
  await requireNative(disk, folder);
  const { time, generators } = context;
  const world = await openWorldEngine(disk, {
    ...options,
    autosave: false,
    time,
    generators,
    allowUnknownGenerator: true,
  });
  try {
    return await use(world);
  } finally {
    await world.close();
  }
}
