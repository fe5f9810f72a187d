import { wrongArgument } from "@orthant/core/arguments";
import { Color, Vector3 } from "three";

/** Colours of the sky and its light at one time of day. Colours are linear, as three.js computes with them. */
export interface SkyColours {
  readonly zenith: Color;
  /** Also the colour of fog. */
  readonly horizon: Color;
  /** The sun by day, the moon by night. */
  readonly sun: Color;
  /** What falls on a surface under the open sky. */
  readonly light: Color;
  /** The unit vector towards the sun; the moon is opposite. */
  readonly sunDirection: Vector3;
  /** How much of the day is there, from 0 at night to 1. */
  readonly daylight: number;
}

interface Palette {
  readonly zenith: Color;
  readonly horizon: Color;
  readonly sun: Color;
  readonly light: Color;
}

const palette = (zenith: number, horizon: number, sun: number, light: Color): Palette => ({
  zenith: new Color(zenith),
  horizon: new Color(horizon),
  sun: new Color(sun),
  light,
});
const DAWN = palette(0x5d_7f_b5, 0xf2_b4_8a, 0xff_d9_a0, new Color().setRGB(0.82, 0.66, 0.56));
const DAY = palette(0x4f_8f_d6, 0xbc_dc_f2, 0xff_f6_df, new Color().setRGB(1, 0.99, 0.96));
const DUSK = palette(0x44_55_8c, 0xe6_8f_6a, 0xff_b2_7a, new Color().setRGB(0.74, 0.54, 0.48));
const NIGHT = palette(0x0d_15_26, 0x1d_2a_45, 0xc9_d6_ef, new Color().setRGB(0.12, 0.15, 0.23));

/** Heights of the sun, as sines, between which one palette becomes another. */
const NIGHT_BELOW = -0.22;
const TWILIGHT_FROM = -0.04;
const TWILIGHT_TO = 0.08;
const DAY_ABOVE = 0.36;
/** How far the way of the sun leans to the south, in radians, so that walls facing there are lit at noon. */
const LEAN = 0.45;

/**
 * Returns the colours of the sky at a time of day: 0 is midnight, 0.25 dawn, 0.5 noon and 0.75 dusk. Times beyond are on
 * other days.
 *
 * @example
 * scene.background = skyColours(0.5).horizon;
 */
export function skyColours(timeOfDay: number): SkyColours {
  if (!Number.isFinite(timeOfDay))
    throw wrongArgument("timeOfDay", timeOfDay, "it is a number: 0 is midnight, and 0.5 noon");
  const day = timeOfDay - Math.floor(timeOfDay);
  const angle = (day - 0.25) * 2 * Math.PI;
  const height = Math.sin(angle);
  const twilight = day < 0.5 ? DAWN : DUSK;
  const toTwilight = smooth(NIGHT_BELOW, TWILIGHT_FROM, height);
  const toDay = smooth(TWILIGHT_TO, DAY_ABOVE, height);
  const mixed = (part: keyof Palette): Color =>
    NIGHT[part].clone().lerp(twilight[part], toTwilight).lerp(DAY[part], toDay);
  return {
    zenith: mixed("zenith"),
    horizon: mixed("horizon"),
    sun: mixed("sun"),
    light: mixed("light"),
    sunDirection: new Vector3(Math.cos(angle), height * Math.cos(LEAN), height * Math.sin(LEAN)).normalize(),
    daylight: smooth(NIGHT_BELOW, DAY_ABOVE, height),
  };
}

function smooth(from: number, to: number, value: number): number {
  const share = Math.min(1, Math.max(0, (value - from) / (to - from)));
  return share * share * (3 - 2 * share);
}
