export { type Bundle, outdatedBundles } from "./bundles.ts";
export { type LocalRegistry, serveRegistry } from "./local-registry.ts";
export { type PackedPackage, packPackages } from "./packed-packages.ts";
