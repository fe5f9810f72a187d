export { fly, type TaskReport, tasksDuring } from "./flight.ts";
export {
  canOpenBrowser,
  killBrowser,
  openBrowser,
  openProfile,
  rendererBytes,
  type ServedPrograms,
  servePrograms,
} from "./open-browser.ts";
export { differingPixels, type Pixel, type Screenshot, screenshotOf } from "./picture.ts";
export {
  type ViewerNumbers,
  ViewerWindow,
  type ViewerWindowOptions,
} from "./viewer-window.ts";
