import type { SourceTree } from "../source-tree.ts";
import { type LayerMap, readLayerMap } from "./layer-map.ts";
import { readWorkspacePackages, type WorkspacePackage } from "./workspace.ts";

/** What is declared, in `layers.json`, and what there is, under `packages/`. */
export interface Architecture {
  readonly layers: LayerMap;
  readonly packages: readonly WorkspacePackage[];
}

/** Both sides of the architecture of a tree. */
export function readArchitecture(tree: SourceTree): Architecture {
  return { layers: readLayerMap(tree), packages: readWorkspacePackages(tree) };
}
