/** The folder of the built page: `index.html` and what it needs. */
export const VIEWER_PAGE: URL = new URL("../../dist/page/", import.meta.url);
