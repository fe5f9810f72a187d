import { buildSite } from "./build-site.ts";
import { checkSite } from "./check-site.ts";

// Usage: node build/tools/site/main.js
// Builds the documentation site into build/site, from the documents, typedoc's pages and the viewer, and checks it.

const SITE = "build/site";

await buildSite(SITE);
await checkSite(SITE);
