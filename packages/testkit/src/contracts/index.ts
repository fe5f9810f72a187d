export { describeBackboneContract } from "./backbone-contract.ts";
export type { BackboneUnderTest } from "./backbone-under-test.ts";
export { type DiskUnderTest, describeDiskContract, describeFolderContract } from "./disk-contract.ts";
export { Gathered } from "./gathered.ts";
