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
]);

/** What keys and buttons do in the view, by the code of the key. */
export class ViewerCommands {
  readonly #elements: ViewerElements;
  readonly #viewer: Viewer;
  readonly #pointerTool: PointerTool;
  readonly #send: (message: PageMessage) => void;

  constructor(
    elements: ViewerElements,
    viewer: Viewer,
    pointerTool: PointerTool,
    send: (message: PageMessage) => void,
  ) {
    this.#elements = elements;
    this.#viewer = viewer;
    this.#pointerTool = pointerTool;
    this.#send = send;
  }

  /** Runs the command of a key. */
  run(code: string, isShifted: boolean): void {
    const viewer = this.#viewer;
    const tool = TOOLS.get(code);
    if (tool !== undefined && viewer.facts?.canEdit === true) this.#pointerTool.tools.tool = tool;
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
        this.#elements.press("toggle-map", viewer.isMap);
        break;
      case "KeyO":
        this.#toggleOrbit();
        break;
      case "KeyG":
        viewer.showRegions(!viewer.hasRegions);
        this.#send({ kind: "inspect", isOn: viewer.hasRegions });
        this.#elements.press("toggle-regions", viewer.hasRegions);
        break;
      case "KeyX":
        this.#pointerTool.toggleInspector();
        break;
      case "KeyH":
        viewer.toggleGhosts();
        break;
      case "KeyB":
        this.#pointerTool.tools.togglePalette();
        break;
      case "KeyV":
        if (isShifted) this.#pointerTool.tools.toggleThick();
        else this.#pointerTool.tools.nextBrush();
        break;
      case "KeyF":
        this.#pointerTool.actAhead();
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

  #toggleOrbit(): void {
    const { camera } = this.#viewer;
    this.#viewer.touch();
    if (camera.isOrbiting) camera.fly();
    else {
      this.#pointerTool.pickAt([0, 0], (hit) => {
        camera.orbitAround(hit?.distance ?? ORBIT_VOXELS);
        this.#viewer.touch();
      });
    }
  }
}
