export { type FlightReport, fly } from "./flight.ts";
export { canOpenBrowser, killBrowser, openBrowser, openProfile } from "./open-browser.ts";
export { rendererBytes } from "./renderer-bytes.ts";
export { type ServedPrograms, servePrograms } from "./serve-programs.ts";
export {
  type Picture,
  type Pixel,
  type ViewerNumbers,
  ViewerWindow,
  type ViewerWindowOptions,
} from "./viewer-window.ts";
