export { type DiskUnderTest, describeDiskContract, describeFolderContract } from "./disk-contract.ts";
export { describeEngineContract } from "./engine-contract.ts";
export type { EngineUnderTest } from "./engine-under-test.ts";
export { Gathered } from "./gathered.ts";
