import { serveMeshes } from "./index.ts";

// The program of a web worker that generates and builds meshes.

serveMeshes();
