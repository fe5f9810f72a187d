import type { Camera } from "three";
import type { Walking } from "./player.ts";

const BLOCKS = ["brick", "wood", "stone", "sand", "glass", "lamp"];
const TURN_PER_PIXEL = 0.003;
const TURN_PER_SECOND = 2;

/** What the player can do to blocks. */
interface Actions {
  dig(): void;
  build(block: string): void;
}

/** The keyboard, the mouse, and the bar of blocks to build with. */
export class Controls {
  readonly #keys = new Set<string>();
  readonly #canvas = document.querySelector("canvas") as HTMLCanvasElement;
  #turned = { x: 0, y: 0 };

  constructor({ dig, build }: Actions) {
    const chosen = blockBar();
    addEventListener("keydown", ({ code }) => {
      this.#keys.add(code);
      if (code === "KeyQ") dig();
      if (code === "KeyE") build(chosen());
    });
    addEventListener("keyup", ({ code }) => this.#keys.delete(code));
    addEventListener("blur", () => this.#keys.clear());
    addEventListener("mousemove", ({ movementX, movementY }) => {
      if (this.#isLooking) this.#turned = { x: this.#turned.x + movementX, y: this.#turned.y + movementY };
    });
    this.#canvas.addEventListener("mousedown", ({ button }) => {
      if (!this.#isLooking) void this.#canvas.requestPointerLock();
      else if (button === 0) dig();
      else build(chosen());
    });
    this.#canvas.addEventListener("contextmenu", (event) => event.preventDefault());
  }

  /** Where the keys say to walk. */
  walking(): Walking {
    return {
      forward: this.#held("KeyW") - this.#held("KeyS"),
      right: this.#held("KeyD") - this.#held("KeyA"),
      jump: this.#keys.has("Space"),
    };
  }

  /** Turns the camera by what the mouse and the arrow keys did. */
  turn(camera: Camera, seconds: number): void {
    const right = this.#held("ArrowRight") - this.#held("ArrowLeft");
    const down = this.#held("ArrowDown") - this.#held("ArrowUp");
    camera.rotation.y -= this.#turned.x * TURN_PER_PIXEL + right * TURN_PER_SECOND * seconds;
    const pitch = camera.rotation.x - this.#turned.y * TURN_PER_PIXEL - down * TURN_PER_SECOND * seconds;
    camera.rotation.x = Math.max(-1.5, Math.min(1.5, pitch));
    this.#turned = { x: 0, y: 0 };
  }

  get #isLooking(): boolean {
    return document.pointerLockElement === this.#canvas;
  }

  #held(code: string): number {
    return Number(this.#keys.has(code));
  }
}

/** Shows the blocks, of which the number keys choose one. Returns a function that returns the chosen one. */
function blockBar(): () => string {
  const items = BLOCKS.map((block) => Object.assign(document.createElement("li"), { textContent: block }));
  document.querySelector("#bar")?.append(...items);
  let [chosen = ""] = BLOCKS;
  const choose = (index: number): void => {
    chosen = BLOCKS[index] ?? chosen;
    for (const item of items) item.ariaCurrent = String(item.textContent === chosen);
  };
  choose(0);
  addEventListener("keydown", ({ key }) => choose(Number(key) - 1));
  return () => chosen;
}
