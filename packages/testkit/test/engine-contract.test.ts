import { systemTime } from "@orthant/core";
import { Prng } from "@orthant/testkit";
import { MemoryHub } from "@orthant/testkit/cluster";
import { describeEngineContract } from "@orthant/testkit/contracts";

describeEngineContract("MemoryEngine", async () => {
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
