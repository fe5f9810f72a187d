import type { SourceTree } from "../source-tree.ts";
import { type LayerMap, readLayerMap } from "./layer-map.ts";
import { readWorkspacePackages, type WorkspacePackage } from "./workspace.ts";

/** The declared layers from `layers.json`, and the actual packages under `packages/`. */
export interface Architecture {
  readonly layers: LayerMap;
  readonly packages: readonly WorkspacePackage[];
}

/** Reads both sides of the architecture of a tree. */
export function readArchitecture(tree: SourceTree): Architecture {
  return { layers: readLayerMap(tree), packages: readWorkspacePackages(tree) };
}
