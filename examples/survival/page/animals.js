// Sheep and wolves, of boxes. `Figures` moves the parts that are called head and leg.
import { BoxGeometry, Group, Mesh, MeshLambertMaterial } from "three";
import { SHEEP, WOLF } from "../land.mjs";

const LOOKS = {
  [SHEEP]: { coat: 0xf2efe6, skin: 0x4a413b, size: [0.8, 0.65, 1.05] },
  [WOLF]: { coat: 0x6d6f73, skin: 0x3b3d42, size: [0.5, 0.5, 1.15] },
};

/** Returns an animal that looks to -z, with its feet at 0; `undefined` for players. */
export function animal({ isPlayer, kind }) {
  if (isPlayer || !(kind in LOOKS)) return undefined;
  const { coat, skin, size } = LOOKS[kind];
  const [width, height, length] = size;
  const body = new Group();
  body.add(part("body", coat, size, [0, 0.45 + height / 2, 0]));
  body.add(part("head", skin, [0.36, 0.36, 0.46], [0, 0.5 + height, -length / 2 - 0.1]));
  for (const [x, z] of [
    [-1, -1],
    [1, -1],
    [1, 1],
    [-1, 1],
  ])
    body.add(leg(skin, [x * (width / 2 - 0.12), 0.46, z * (length / 2 - 0.16)]));
  return body;
}

/** A leg turns at its upper end. */
function leg(colour, joint) {
  const made = part("leg", colour, [0.17, 0.46, 0.17], joint);
  made.geometry.translate(0, -0.23, 0);
  return made;
}

function part(name, color, size, place) {
  const made = new Mesh(new BoxGeometry(...size), new MeshLambertMaterial({ color }));
  made.name = name;
  made.position.set(...place);
  return made;
}
