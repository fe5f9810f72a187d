export { type DiskUnderTest, describeDiskContract } from "./disk-contract.ts";
