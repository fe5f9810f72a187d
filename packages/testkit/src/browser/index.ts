export { canOpenBrowser, openBrowser } from "./open-browser.ts";
export { rendererBytes } from "./renderer-bytes.ts";
export {
  type FlightReport,
  type Picture,
  type Pixel,
  type ViewerNumbers,
  ViewerWindow,
  type ViewerWindowOptions,
} from "./viewer-window.ts";
