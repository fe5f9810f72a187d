import { AXIS_NAMES } from "@orthant/core/lattice";
import { ConeGeometry, Group, Mesh, MeshBasicMaterial, Vector3 } from "three";
import type { DrawnEntity } from "../message/messages.ts";
import { type ScenePoint, type Slice, toScene } from "../slice/slice.ts";

/** Slices on each side of this one in which other players are shown, fainter with distance. */
const SLICES_SEEN = 12;
/** More would be an unreadable crowd. */
const OTHERS_SHOWN_MAX = 200;
const UP = new Vector3(0, 1, 0);

/** A text, and the point where it belongs. */
export interface NameTag {
  readonly text: string;
  readonly point: ScenePoint;
}

/** The other players, each drawn as an arrow in their view direction. */
export class EntityView {
  readonly group: Group = new Group();
  readonly #shape = new ConeGeometry(0.55, 1.7, 12);
  readonly #arrows = new Map<string, Mesh<ConeGeometry, MeshBasicMaterial>>();

  /** Shows the other players near a slice. Returns their name tags. */
  show(entities: readonly DrawnEntity[], slice: Slice): readonly NameTag[] {
    const tags: NameTag[] = [];
    const shown = new Set<string>();
    for (const entity of entities) {
      const away = Math.floor(entity.position[slice.hidden]) - slice.at;
      if (Math.abs(away) > SLICES_SEEN || shown.size >= OTHERS_SHOWN_MAX) continue;
      shown.add(entity.id);
      const point = toScene(slice, entity.position);
      const arrow = this.#arrows.get(entity.id) ?? this.#another(entity.id);
      const direction = new Vector3(...toScene(slice, entity.facing));
      arrow.position.set(...point);
      if (direction.lengthSq() > 0) arrow.quaternion.setFromUnitVectors(UP, direction.normalize());
      arrow.material.opacity = away === 0 ? 1 : Math.max(0.15, 0.6 - Math.abs(away) * 0.05);
      const where =
        away === 0 ? "" : ` (${AXIS_NAMES[slice.hidden]} ${away > 0 ? "+" : "−"}${Math.abs(away)})`;
      const name = entity.name || (entity.isPlayer ? "a player" : "");
      if (name !== "") tags.push({ text: `${name}${where}`, point: [point[0], point[1] + 1, point[2]] });
    }
    for (const [id, arrow] of this.#arrows) {
      if (shown.has(id)) continue;
      this.group.remove(arrow);
      arrow.material.dispose();
      this.#arrows.delete(id);
    }
    return tags;
  }

  #another(id: string): Mesh<ConeGeometry, MeshBasicMaterial> {
    const arrow = new Mesh(this.#shape, new MeshBasicMaterial({ transparent: true }));
    arrow.material.color.setHSL(hueOf(id), 0.7, 0.68);
    arrow.renderOrder = 3;
    this.group.add(arrow);
    this.#arrows.set(id, arrow);
    return arrow;
  }
}

/** Every player has their own colour, the same on every page. */
function hueOf(id: string): number {
  let hash = 0;
  for (const letter of id) hash = (Math.imul(hash, 31) + (letter.codePointAt(0) ?? 0)) >>> 0;
  return (hash % 360) / 360;
}
