export { type LocalRegistry, serveRegistry } from "./local-registry.ts";
export { type PackedPackage, packPackages } from "./packed-packages.ts";
