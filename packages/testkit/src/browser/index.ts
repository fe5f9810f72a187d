export { canOpenBrowser, openBrowser } from "./open-browser.ts";
export {
  type Picture,
  type Pixel,
  type ViewerNumbers,
  ViewerWindow,
  type ViewerWindowOptions,
} from "./viewer-window.ts";
