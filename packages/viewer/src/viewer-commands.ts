import type { PageMessage } from "./message/messages.ts";
import type { ViewerElements } from "./overlay/elements.ts";
import type { Tool } from "./overlay/tool-bar.ts";
import type { PointerTool } from "./pointer-tool.ts";
import type { Viewer } from "./viewer.ts";

/** Distance of an orbit when nothing is ahead. */
const ORBIT_VOXELS = 24;
const TOOLS: ReadonlyMap<string, Tool> = new Map([
  ["Digit1", "look"],
  ["Digit2", "place"],
  ["Digit3", "remove"],
  ["Digit4", "pick"],
  ["Digit5", "select"],
]);

/** What the commands of keys act on. */
export interface CommandTargets {
  readonly elements: ViewerElements;
  readonly viewer: Viewer;
  readonly pointerTool: PointerTool;
  send(message: PageMessage): void;
}

/** Does what a key or its button does in the view, by the code of the key. */
export function runCommand(
  { elements, viewer, pointerTool, send }: CommandTargets,
  code: string,
  isShifted: boolean,
): void {
  const tool = TOOLS.get(code);
  if (tool !== undefined && viewer.facts?.canEdit === true) pointerTool.tools.tool = tool;
  switch (code) {
    case "KeyT":
      viewer.turn();
      break;
    case "Comma":
      viewer.sliceAt(viewer.slice.at - 1);
      break;
    case "Period":
      viewer.sliceAt(viewer.slice.at + 1);
      break;
    case "KeyM":
      viewer.showMap(!viewer.isMap);
      elements.press("toggle-map", viewer.isMap);
      break;
    case "KeyO":
      toggleOrbit(viewer, pointerTool);
      break;
    case "KeyG":
      viewer.showRegions(!viewer.hasRegions);
      send({ kind: "inspect", isOn: viewer.hasRegions });
      elements.press("toggle-regions", viewer.hasRegions);
      break;
    case "KeyX":
      pointerTool.toggleInspector();
      break;
    case "KeyN":
      viewer.nextTime();
      break;
    case "KeyH":
      viewer.toggleGhosts();
      break;
    case "KeyB":
      pointerTool.tools.togglePalette();
      break;
    case "KeyV":
      if (isShifted) pointerTool.tools.toggleThick();
      else pointerTool.tools.nextBrush();
      break;
    case "KeyF":
      pointerTool.actAhead();
      break;
    case "Equal":
    case "NumpadAdd":
      viewer.seeFurther(1);
      break;
    case "Minus":
    case "NumpadSubtract":
      viewer.seeFurther(-1);
  }
}

function toggleOrbit(viewer: Viewer, pointerTool: PointerTool): void {
  const { camera } = viewer;
  viewer.touch();
  if (camera.isOrbiting) camera.fly();
  else {
    pointerTool.pickAt([0, 0], (hit) => {
      camera.orbitAround(hit?.distance ?? ORBIT_VOXELS);
      viewer.touch();
    });
  }
}
