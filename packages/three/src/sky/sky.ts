import { checkedOptions, matching, type OptionTable, requireFlag } from "@orthant/core/arguments";
import { type Camera, DirectionalLight, Group, HemisphereLight, Vector3 } from "three";
import { CLOUD_CELLS, CLOUD_VOXELS } from "./clouds.ts";
import { cloudLayer, skyDome } from "./dome.ts";
import { type SkyColours, skyColours } from "./sky-colours.ts";
import { type SkyUniforms, skyUniforms } from "./sky-uniforms.ts";

/** Options of a {@link Sky}. */
export interface SkyOptions {
  /** Time of day to begin with: 0 is midnight, 0.25 dawn, 0.5 noon, 0.75 dusk. 0.4 by default. */
  readonly time?: number;
  /** Length of a day in minutes, 20 by default; `Infinity` stops the sun. */
  readonly dayMinutes?: number;
  /** Height of the clouds, in voxels; `false` for a sky without any. 160 by default. */
  readonly clouds?: number | false;
  /** Whether the sky lights three.js's own materials, too. True by default; `false` if the scene has lights. */
  readonly lights?: boolean;
}

const DEFAULTS = { time: 0.4, dayMinutes: 20, clouds: 160, lights: true } as const;
const requireTime = matching<number>("it is a number: 0 is midnight, and 0.5 noon", Number.isFinite);
const requireMinutes = matching<number>(
  "it is a number of minutes above 0, or Infinity to stop the sun",
  (value) => typeof value === "number" && value > 0,
);
const OPTIONS: OptionTable<SkyOptions> = {
  time: requireTime,
  dayMinutes: requireMinutes,
  clouds: matching<number | false>(
    "it is a height in voxels, or false",
    (value) => value === false || Number.isFinite(value),
  ),
  lights: requireFlag,
};
/** Speed of the clouds, in voxels per second, along x and z. */
const WIND = [1.1, 0.35] as const;
/** Voxels after which the clouds repeat. */
const CLOUDS_REPEAT = CLOUD_CELLS * CLOUD_VOXELS;
/** Seconds after which the clock of the shaders starts again, before its steps become visible. */
const CLOCK_REPEATS = 4_096;
/** Parts of the light of three.js's own materials: what comes from one side, and from everywhere. */
const [DIRECT, AMBIENT] = [1.9, 1.5];
const GROUND_SHARE = 0.45;

/**
 * The sky around the camera, with its time of day: air, sun, moon, stars and clouds, and the light they give.
 *
 * @example
 * const sky = new Sky({ time: 0.3 });
 * scene.add(sky, new WorldView(world, { sky }));
 * renderer.setAnimationLoop(() => {
 *   sky.update(camera, seconds);
 *   renderer.render(scene, camera);
 * });
 */
export class Sky extends Group {
  /** What materials under this sky read. */
  readonly uniforms: SkyUniforms = skyUniforms();
  readonly #dome = skyDome(this.uniforms);
  readonly #layer = cloudLayer(this.uniforms);
  readonly #cloudHeight: number | false;
  readonly #lights: { readonly sun: DirectionalLight; readonly air: HemisphereLight } | undefined;
  readonly #eyes = new Vector3();
  #time: number;
  #dayMinutes: number;
  #colours: SkyColours;
  #seconds = 0;

  constructor(options: SkyOptions = {}) {
    super();
    const { time, dayMinutes, clouds, lights } = {
      ...DEFAULTS,
      ...checkedOptions("the options", options, OPTIONS),
    };
    this.#time = time - Math.floor(time);
    this.#dayMinutes = dayMinutes;
    this.#cloudHeight = clouds;
    this.add(this.#dome);
    if (clouds !== false) this.add(this.#layer);
    if (lights) {
      this.#lights = { sun: new DirectionalLight(), air: new HemisphereLight() };
      this.add(this.#lights.sun, this.#lights.sun.target, this.#lights.air);
    }
    this.#colours = skyColours(this.#time);
    this.#show();
  }

  /** The time of day, from 0 at midnight to 1; numbers beyond are on other days. It goes on by itself. */
  get time(): number {
    return this.#time;
  }

  set time(time: number) {
    requireTime("time", time);
    this.#time = time - Math.floor(time);
  }

  /** Minutes of a day; `Infinity` stops the sun. */
  get dayMinutes(): number {
    return this.#dayMinutes;
  }

  set dayMinutes(minutes: number) {
    this.#dayMinutes = requireMinutes("dayMinutes", minutes);
  }

  /** Whether the eyes are under water: then all fades into blue-green nearby. A `WorldView` under this sky sets it. */
  get isUnderWater(): boolean {
    return this.uniforms.underWater.value > 0;
  }

  set isUnderWater(isUnderWater: boolean) {
    this.uniforms.underWater.value = isUnderWater ? 1 : 0;
  }

  /** The colours of this moment. */
  get colours(): SkyColours {
    return this.#colours;
  }

  /** Moves on by some seconds, and to where a camera is. Call it before each frame. */
  update(camera: Camera, seconds: number): void {
    this.#time = (this.#time + seconds / (this.#dayMinutes * 60)) % 1;
    this.#seconds += seconds;
    this.#colours = skyColours(this.#time);
    camera.updateWorldMatrix(true, false);
    this.#eyes.setFromMatrixPosition(camera.matrixWorld);
    this.position.copy(this.#eyes);
    this.parent?.worldToLocal(this.position);
    this.#show();
  }

  /** Frees what the sky has on the graphics card. */
  override dispose(): void {
    for (const { geometry, material } of [this.#dome, this.#layer]) {
      geometry.dispose();
      material.dispose();
    }
    this.uniforms.clouds.value.dispose();
  }

  #show(): void {
    const { zenith, horizon, sun, light, sunDirection } = this.#colours;
    const { uniforms } = this;
    uniforms.zenith.value.copy(zenith);
    uniforms.horizon.value.copy(horizon);
    uniforms.sunColour.value.copy(sun);
    uniforms.skyLight.value.copy(light);
    uniforms.sunDirection.value.copy(sunDirection);
    uniforms.time.value = this.#seconds % CLOCK_REPEATS;
    const along = (at: number, wind: number): number => (at - wind * this.#seconds) % CLOUDS_REPEAT;
    const height = this.#cloudHeight === false ? -Number.MAX_SAFE_INTEGER : this.#cloudHeight - this.#eyes.y;
    uniforms.cloudsFrom.value.set(along(this.#eyes.x, WIND[0]), height, along(this.#eyes.z, WIND[1]));
    if (this.#lights === undefined) return;
    const { sun: direct, air } = this.#lights;
    // The moon shines from where the sun is not.
    direct.position.copy(sunDirection).multiplyScalar(sunDirection.y < -0.12 ? -1 : 1);
    direct.color.copy(light);
    direct.intensity = DIRECT * Math.min(1, Math.abs(sunDirection.y + 0.12) * 5);
    air.color.copy(light);
    air.groundColor.copy(light).multiplyScalar(GROUND_SHARE);
    air.intensity = AMBIENT;
  }
}
