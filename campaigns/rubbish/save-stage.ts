import { box } from "@orthant/core";
import { DEFAULT_GENERATORS } from "@orthant/core/generate";
import { MemoryDisk } from "@orthant/disk";
import {
  applyRepair,
  compareSaves,
  copyGeneration,
  hasSave,
  listGenerations,
  openSave,
  planRepair,
  type Save,
  surveySave,
  verifySave,
} from "@orthant/save";
import { generationPool, meshPool, stateSource } from "@orthant/worker-pool/node";
import { createWorld } from "@orthant/world";
import { freeze } from "./damage.ts";
import { functionTargets, methodTargets, type Stage, type Target } from "./stage.ts";
import * as valid from "./valid-values.ts";

/** Calls what reads, verifies, copies and repairs a save. Nothing of it changes the save. */
export const saveStage: Stage = {
  name: "save",
  async open(prng) {
    const disk = new MemoryDisk();
    const world = await createWorld(disk, { dimensions: 3, generator: valid.generator(prng) });
    await world.fill(box([0, 0, 0], [20, 20, 20]), 3);
    world.spawnEntity(valid.entity(prng, 3) as never);
    await world.close();
    const image = JSON.stringify([...disk.image().files].map(([path, bytes]) => [path, bytes.length]));
    const save = await openSave(disk);
    const plan = await planRepair(disk);
    freeze(plan);
    return {
      targets: [...readingTargets(disk, save), ...repairTargets(disk, plan, save), ...poolTargets()],
      finish: async () => {
        await save.close();
        const after = JSON.stringify([...disk.image().files].map(([path, bytes]) => [path, bytes.length]));
        return after === image ? [] : [`the files of the save were ${image} and are ${after}`];
      },
    };
  },
};

function readingTargets(disk: MemoryDisk, save: Save): readonly Target[] {
  return [
    ...functionTargets(
      {
        openSave: [openSave, () => [disk, { generation: save.generation, generators: DEFAULT_GENERATORS }]],
      },
      { dispose: (opened) => (opened as Save).close() },
    ),
    ...functionTargets({
      hasSave: [hasSave, () => [disk]],
      surveySave: [surveySave, () => [disk]],
      listGenerations: [listGenerations, () => [disk]],
      verifySave: [verifySave, () => [disk, { checksumsOnly: true }]],
    }),
    ...methodTargets("Save", save, {
      generate: (prng) => [[prng.below(9), prng.below(9), 0, 0]],
      leavesIn: () => [{ min: [0, 0, 0, 0], max: [4, 4, 4, 1] }],
    }),
  ];
}

function repairTargets(disk: MemoryDisk, plan: unknown, save: Save): readonly Target[] {
  const compare = async ([before, after, options]: readonly unknown[]): Promise<number> => {
    let differences = 0;
    for await (const _ of compareSaves(before as Save, after as Save, options as object)) differences++;
    return differences;
  };
  return [
    ...functionTargets({
      planRepair: [
        planRepair,
        () => [
          disk,
          { chunkShape: structuredClone(save.global.description.chunkShape), generators: DEFAULT_GENERATORS },
        ],
      ],
      applyRepair: [applyRepair, () => [disk, plan, new MemoryDisk()]],
      copyGeneration: [
        copyGeneration,
        () => [disk, new MemoryDisk(), { generation: save.generation, onTotal: () => undefined }],
      ],
    }),
    {
      name: "compareSaves",
      args: () => [save, save, { samePacks: true, onLeaf: () => undefined }],
      called: compareSaves,
      call: compare,
    },
  ];
}

/** Its workers start with the first work, so that none starts here. */
function poolTargets(): readonly Target[] {
  const options = () => [{ workers: 1, jobsMax: 10, jobTimeoutMs: 1_000 }];
  return [
    ...functionTargets(
      { generationPool: [generationPool, options], meshPool: [meshPool, options] },
      { dispose: (pool) => (pool as { close(): Promise<void> }).close() },
    ),
    ...functionTargets({ stateSource: [stateSource, () => [() => undefined, () => true]] }),
  ];
}
