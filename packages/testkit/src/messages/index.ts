export { randomClientFrame } from "./random-client-frame.ts";
export { RANDOM_FRAME_VOLUME, randomServerFrame } from "./random-server-frame.ts";
