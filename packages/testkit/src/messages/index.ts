export { randomClientFrame } from "./random-client-frame.ts";
export { RANDOM_FRAME_VOLUME, randomServerFrame } from "./random-server-frame.ts";
export { randomWire1Command, randomWire1Message } from "./random-wire1.ts";
