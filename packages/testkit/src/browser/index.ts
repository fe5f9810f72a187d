export { type FlightReport, fly } from "./flight.ts";
export { canOpenBrowser, killBrowser, openBrowser, openProfile } from "./open-browser.ts";
export { differingPixels, type Picture, type Pixel, pictureOf } from "./picture.ts";
export { rendererBytes } from "./renderer-bytes.ts";
export { type ServedPrograms, servePrograms } from "./serve-programs.ts";
export {
  type ViewerNumbers,
  ViewerWindow,
  type ViewerWindowOptions,
} from "./viewer-window.ts";
