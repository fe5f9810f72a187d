export { RANDOM_FRAME_VOLUME, randomClientFrame, randomServerFrame } from "./random-frames.ts";
export { randomWire1Command, randomWire1Message } from "./random-wire1.ts";
