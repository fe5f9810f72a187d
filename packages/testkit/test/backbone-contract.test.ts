import { systemTime } from "@orthant/core";
import { Prng } from "@orthant/testkit";
import { MemoryHub } from "@orthant/testkit/cluster";
import { describeBackboneContract } from "@orthant/testkit/contracts";

describeBackboneContract("MemoryBackbone", async () => {
  const prng = new Prng(1);
  let hub: MemoryHub | undefined;
  return {
    async connect(options = {}) {
      hub ??= new MemoryHub({ time: systemTime, random: () => prng.fraction(), ...options });
      return hub.connect();
    },
    dispose: async () => undefined,
  };
});
