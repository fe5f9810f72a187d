import type { ServerMessage } from "@orthant/protocol/internal";

/** A message and its bytes, derived by hand from docs/formats/protocol.md. */
export interface Sample<Message> {
  readonly rule: string;
  readonly name: string;
  readonly message: Message;
  readonly hex: string;
}

/** Messages about entities that move, and their bytes. */
export const MOVE_SAMPLES: readonly Sample<ServerMessage>[] = [
  {
    rule: "N51",
    name: "changes of poses, with one orientation as it is",
    message: {
      kind: "moves",
      absolute: 0x10,
      moves: [
        { number: 300, steps: [3, 0, -2, 0, 1, 0, 0, 0] },
        { number: 302, steps: [-1, 0, 2, 0, 0, 0, 0, 0] },
      ],
    },
    // Columns, lowest bits first: gap 1, x 6 and 1, z 3 and 4, facing 2 and 0, each behind its parameter.
    hex: "0e 02 ac02 15 10 50 1c a3 03 03",
  },
  {
    rule: "N57",
    name: "the velocities of two entities, one of which has stopped",
    message: {
      kind: "motions",
      motions: [
        { number: 300, velocity: [64, -1, 0, 0] },
        { number: 7, velocity: [0, 0, 0, 0] },
      ],
    },
    hex: "0f 02 ac02 8001 01 00 00 07 00000000",
  },
  {
    rule: "N52",
    name: "poses as they are",
    message: {
      kind: "moves",
      absolute: 0xff,
      moves: [{ number: 7, steps: [96, -16, 0, 640, -63, 0, 0, 63] }],
    },
    hex: "0e 01 07 ff ff c001 1f 00 800a 0000 60f50058 3e",
  },
];
