export { type FlightReport, fly } from "./flight.ts";
export {
  canOpenBrowser,
  killBrowser,
  openBrowser,
  openProfile,
  rendererBytes,
  type ServedPrograms,
  servePrograms,
} from "./open-browser.ts";
export { differingPixels, type Picture, type Pixel, pictureOf } from "./picture.ts";
export {
  type ViewerNumbers,
  ViewerWindow,
  type ViewerWindowOptions,
} from "./viewer-window.ts";
