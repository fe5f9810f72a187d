/**
 * The folder of the viewer's page, for a server to serve.
 *
 * @module @orthant/viewer/node
 */

/** Folder of the built page: `index.html` and the files it loads. */
export const VIEWER_PAGE: URL = new URL("../../dist/page/", import.meta.url);
