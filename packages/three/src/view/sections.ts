import type { Box } from "@orthant/core";
import { isOrthantError } from "@orthant/core";
import { boxEquals, boxesIntersect, roundOutToRegions } from "@orthant/core/lattice";
import { LIGHT_REACH_VOXELS } from "@orthant/core/light";
import { NO_QUADS, type VolumeMesh, type VolumePoint } from "@orthant/mesh/volume";
import { URGENT } from "@orthant/worker-pool/browser";
import type { Drawing } from "./drawing.ts";
import type { DrawnSections } from "./drawn-sections.ts";
import { type BudgetedSections, MeshBudget } from "./mesh-budget.ts";
import { type Section, sectionAt } from "./section.ts";
import type { CellRange, SectionGrid, ViewPoint } from "./section-grid.ts";
import type { WorldFeed } from "./world-feed.ts";

/** Changes nearer than this come into the picture before what is farther away, though after the player's own edits. */
const NEAR_VOXELS = 48;
/** Sections that are read from a disk at a time. */
const LOADS_MAX = 8;
/** Jobs that a pool is given; sections beyond wait here. */
const JOBS_MAX = 2_000;
/** Time for each picture to ask for sections that came into reach, and how many are asked for in any case. */
const ASK_MS = 2;
const ASKED_MIN = 64;
/** With fewer jobs than this, workers may soon have nothing to do. */
const JOBS_MIN = 32;
/** Without a face, nothing shows light. */
const NOTHING: VolumeMesh = { opaque: NO_QUADS, cutout: NO_QUADS, blended: NO_QUADS };

/** What sections need of a view. */
export interface SectionsParts {
  readonly feed: WorldFeed;
  readonly drawn: DrawnSections;
  readonly onFailure: (error: unknown) => void;
  /** Most bytes of all meshes. */
  readonly meshBytes: number;
  /** Whether the camera sees any of a section. */
  readonly isSeen: (section: Section) => boolean;
}

/** Keeps the meshes of all sections near the camera up to date, by jobs in workers. */
export class Sections {
  readonly #parts: SectionsParts;
  readonly #budget: MeshBudget;
  readonly #sections = new Map<string, Section>();
  /** Those whose chunks are not there. */
  readonly #waiting = new Set<Section>();
  /** Those that came into reach and were not asked for yet; the nearest is the last one. */
  #fresh: Section[] = [];
  readonly #grid: SectionGrid;
  #drawing: Drawing;
  #eye: ViewPoint = [0, 0, 0];
  #reach = 0;
  #range: CellRange | undefined;
  #jobs = 0;
  #loads = 0;

  constructor(grid: SectionGrid, drawing: Drawing, parts: SectionsParts) {
    this.#grid = grid;
    this.#drawing = drawing;
    this.#parts = parts;
    this.#budget = new MeshBudget(parts.meshBytes);
  }

  /** How far sections are kept: less than the view distance if their meshes would take too much memory. */
  get reach(): number {
    return this.#reach;
  }

  /** Sections whose picture is not up to date. */
  get pending(): number {
    return this.#jobs + this.#waiting.size + this.#fresh.length;
  }

  get size(): number {
    return this.#sections.size;
  }

  /** Takes over where the camera is. Adds sections that came near, and drops those that are far. */
  move(eye: ViewPoint, viewDistance: number): void {
    this.#eye = eye;
    this.#reach = this.#budget.reachOf(viewDistance);
    const range = this.#grid.cellsAround(eye, this.#reach);
    if (
      this.#range === undefined ||
      String([range.min, range.max]) !== String([this.#range.min, this.#range.max])
    ) {
      this.#range = range;
      this.#dropFar();
      this.#addNear();
    }
    this.#askForFresh();
    if (this.#waiting.size > 0) this.#loadNearest();
  }

  /** Drops the farthest sections while meshes take too much memory, and sees farther again once they do not. */
  keepBudget(): void {
    const { drawn } = this.#parts;
    const sections: BudgetedSections = {
      all: this.#sections.values(),
      bytes: drawn.bytes,
      edge: Math.max(...this.#grid.size),
      eyeCell: String(this.#grid.cellOf(this.#eye)),
      distanceOf: ({ cell }) => this.#grid.distanceTo(cell, this.#eye),
    };
    for (const section of this.#budget.lower(sections)) this.#drop(section);
    if (this.pending + drawn.arriving === 0) this.#budget.raise(sections);
  }

  /** Takes over that chunks look different, came or went; or that the player has just edited them. */
  changed(boxes: readonly Box[], isOwn: boolean): void {
    for (const box of boxes) {
      this.#touch(box, isOwn);
      this.#shadeBelow(box);
    }
  }

  /** Meshes everything again, for other looks. What is drawn stays until then. */
  redraw(drawing: Drawing): void {
    this.#drawing = drawing;
    for (const section of this.#sections.values()) {
      this.#giveUp(section);
      this.#ask(section, 0);
    }
  }

  /** Whether all sections near the camera are in the picture. */
  get isNearDrawn(): boolean {
    if (this.#range === undefined) return false;
    if (this.pending === 0 && this.#parts.drawn.arriving === 0) return true;
    const isNear = ({ cell }: Section): boolean => this.#grid.distanceTo(cell, this.#eye) < NEAR_VOXELS;
    const next = this.#fresh.at(-1);
    if (next !== undefined && isNear(next)) return false;
    for (const section of this.#sections.values()) {
      const isDrawn =
        section.job === undefined && section.arrived === undefined && !this.#waiting.has(section);
      if (!isDrawn && isNear(section)) return false;
    }
    return true;
  }

  /** Leaves the picture as it is from now on. */
  rest(): void {
    for (const section of this.#sections.values()) this.#giveUp(section);
    this.#waiting.clear();
    this.#fresh = [];
  }

  /** Forgets all sections. */
  clear(): void {
    this.#fresh = [];
    for (const section of this.#sections.values()) this.#drop(section);
    this.#range = undefined;
  }

  #addNear(): void {
    const { min, max } = this.#range as CellRange;
    for (let right = min[0]; right <= max[0]; right++)
      for (let up = min[1]; up <= max[1]; up++)
        for (let back = min[2]; back <= max[2]; back++) {
          const cell: VolumePoint = [right, up, back];
          const key = String(cell);
          if (this.#sections.has(key) || this.#grid.distanceTo(cell, this.#eye) > this.#reach) continue;
          const section = sectionAt(cell, this.#grid);
          this.#sections.set(key, section);
          this.#fresh.push(section);
        }
    const distanceTo = ({ cell }: Section): number => this.#grid.distanceTo(cell, this.#eye);
    this.#fresh.sort((a, b) => distanceTo(b) - distanceTo(a));
  }

  /** Asks for sections that came into reach, a few for each picture. */
  #askForFresh(): void {
    const end = performance.now() + ASK_MS;
    for (let asked = 0; this.#fresh.length > 0 && this.#jobs < JOBS_MAX; asked++) {
      if (asked >= ASKED_MIN && performance.now() > end) return;
      const section = this.#fresh.pop() as Section;
      if (this.#sections.get(String(section.cell)) === section) this.#ask(section, 0);
    }
  }

  #dropFar(): void {
    const limit = this.#reach + Math.max(...this.#grid.size);
    for (const section of this.#sections.values()) {
      const isFar = this.#grid.distanceTo(section.cell, this.#eye) > limit;
      if (isFar || (this.#waiting.has(section) && !this.#isInRange(section))) this.#drop(section);
    }
  }

  /** Whether the chunks of a section are still asked for. */
  #isInRange({ cell }: Section): boolean {
    const { min, max } = this.#range as CellRange;
    return cell.every((at, axis) => at >= (min[axis] as number) && at <= (max[axis] as number));
  }

  #drop(section: Section): void {
    this.#giveUp(section);
    this.#waiting.delete(section);
    this.#sections.delete(String(section.cell));
    this.#parts.drawn.clear(section);
  }

  #giveUp(section: Section): void {
    if (section.job === undefined) return;
    section.job.cancel();
    section.job = undefined;
    this.#jobs--;
  }

  /** Asks again for sections whose meshes depend on chunks. */
  #touch(chunks: Box, isOwn: boolean): void {
    for (const section of this.#sectionsOf(chunks, LIGHT_REACH_VOXELS + 1)) {
      if (this.#waiting.has(section)) {
        this.#ask(section, 0);
        continue;
      }
      const isLightOnly = !boxesIntersect(this.#grid.chunksNextTo(section.cell), chunks);
      if (isLightOnly && section.isEmpty) continue;
      const isNear = this.#grid.distanceTo(section.cell, this.#eye) < NEAR_VOXELS;
      // The light around an edit follows it.
      this.#ask(section, isOwn && !isLightOnly ? URGENT : isOwn || isNear ? -this.#reach : 0);
    }
  }

  /** What is built takes the light of the sky from everything below, however deep, until it is removed. */
  #shadeBelow(chunks: Box): void {
    const grid = this.#grid;
    if (!grid.showsHeight || this.#range === undefined || !this.#mayShade(chunks)) return;
    const cells = grid.cellsOf(chunks, LIGHT_REACH_VOXELS + 1);
    if (cells === undefined) return;
    for (const section of this.#sections.values()) {
      const [right, up, back] = section.cell;
      const isBelow =
        up < cells.min[1] &&
        right >= cells.min[0] &&
        right <= cells.max[0] &&
        back >= cells.min[2] &&
        back <= cells.max[2];
      if (isBelow && !section.isEmpty) this.#ask(section, 0);
    }
  }

  /** Whether chunks that look different may let more or less light through than as they were generated. */
  #mayShade(chunks: Box): boolean {
    const { source } = this.#parts.feed;
    if (source.skyAbove === undefined) return false;
    // Whole regions come and go; everything smaller is an edit, which may also have removed what was built.
    if (!boxEquals(chunks, roundOutToRegions(chunks))) return true;
    return source.madeIn(chunks)[Symbol.iterator]().next().done !== true;
  }

  *#sectionsOf(chunks: Box, reach: number): Iterable<Section> {
    const cells = this.#grid.cellsOf(chunks, reach);
    const range = this.#range;
    if (cells === undefined || range === undefined) return;
    // Sections that are about to be dropped lie one beyond the range.
    const low = (axis: 0 | 1 | 2): number => Math.max(cells.min[axis], range.min[axis] - 1);
    const high = (axis: 0 | 1 | 2): number => Math.min(cells.max[axis], range.max[axis] + 1);
    for (let right = low(0); right <= high(0); right++)
      for (let up = low(1); up <= high(1); up++)
        for (let back = low(2); back <= high(2); back++) {
          const section = this.#sections.get(`${right},${up},${back}`);
          if (section !== undefined) yield section;
        }
  }

  /** Has a section meshed. `lead` is how many voxels nearer than it is its job counts as. */
  #ask(section: Section, lead: number): void {
    if (section.job !== undefined) {
      // A job that has begun does not know of the change.
      section.isStale = true;
      if (lead >= section.lead) return;
      this.#giveUp(section);
    }
    section.isStale = false;
    section.lead = lead;
    const { source } = this.#parts.feed;
    if (!source.has(this.#grid.chunksAround(section.cell))) {
      this.#wait(section);
      return;
    }
    this.#waiting.delete(section);
    if (this.#isSky(section)) this.#parts.drawn.take(section, NOTHING, this.#drawing);
    else this.#begin(section);
  }

  /** A section waits for its chunks. It is not shown while its own are not there. */
  #wait(section: Section): void {
    if (!this.#isInRange(section)) {
      this.#drop(section);
      return;
    }
    this.#waiting.add(section);
    if (!section.isEmpty && !this.#parts.feed.source.has(this.#grid.chunksOf(section.cell)))
      this.#parts.drawn.clear(section);
  }

  #begin(section: Section): void {
    const drawing = this.#drawing;
    const { lead } = section;
    const priority = lead === URGENT ? URGENT : () => lead + this.#rankOf(section);
    const job = drawing.scene.mesh(this.#grid.sectionOf(section.cell), { priority });
    section.job = job;
    this.#jobs++;
    job.result.then(
      (mesh) => this.#finish(section, job, mesh, drawing),
      (error: unknown) => this.#fail(section, job, error),
    );
  }

  #finish(section: Section, job: Section["job"], mesh: VolumeMesh | undefined, drawing: Drawing): void {
    if (section.job !== job) return;
    section.job = undefined;
    this.#jobs--;
    if (mesh === undefined) this.#wait(section);
    else this.#parts.drawn.take(section, mesh, drawing);
    if (section.isStale) this.#ask(section, section.lead);
    // Workers are faster than pictures on a slow graphics card.
    if (this.#jobs < JOBS_MIN) this.#askForFresh();
  }

  #fail(section: Section, job: Section["job"], error: unknown): void {
    if (section.job !== job) return;
    section.job = undefined;
    this.#jobs--;
    // The pool was closed, by the page or with its last view.
    if (!isOrthantError(error, "ORT_CLOSED")) this.#parts.onFailure(error);
  }

  /** The nearest ones that are seen come first. */
  #rankOf(section: Section): number {
    const distance = this.#grid.distanceTo(section.cell, this.#eye);
    return this.#parts.isSeen(section) ? distance : distance + this.#reach;
  }

  /** Whether a section lies above everything that generators make, and nothing was built there. */
  #isSky({ cell }: Section): boolean {
    const { source } = this.#parts.feed;
    if (!this.#grid.showsHeight || source.skyAbove === undefined) return false;
    if (this.#grid.cornerOf(cell)[1] < source.skyAbove || source.generators === undefined) return false;
    for (const { content } of source.madeIn(this.#grid.chunksOf(cell))) if (!content.isEmpty) return false;
    return true;
  }

  /** Reads the nearest chunks that are missing, where no server sends them. */
  #loadNearest(): void {
    const { load } = this.#parts.feed;
    if (load === undefined || this.#loads >= LOADS_MAX) return;
    const waiting = [...this.#waiting].filter(({ isLoading }) => !isLoading);
    waiting.sort((a, b) => this.#rankOf(a) - this.#rankOf(b));
    for (const section of waiting.slice(0, LOADS_MAX - this.#loads)) this.#load(section, load);
  }

  #load(section: Section, load: NonNullable<WorldFeed["load"]>): void {
    this.#loads++;
    section.isLoading = true;
    const done = (): void => {
      this.#loads--;
      section.isLoading = false;
    };
    load(this.#grid.chunksAround(section.cell)).then(
      () => {
        done();
        if (this.#waiting.has(section)) this.#ask(section, section.lead);
      },
      (error: unknown) => {
        done();
        this.#waiting.delete(section);
        if (!isOrthantError(error, "ORT_CLOSED")) this.#parts.onFailure(error);
      },
    );
  }
}
