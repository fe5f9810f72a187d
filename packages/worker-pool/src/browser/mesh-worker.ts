import { openGeneration } from "../generation/generation-space.ts";
import { openMeshes } from "../mesh/mesh-space.ts";
import { runJobs } from "./run-jobs.ts";

// The program of a web worker that generates and builds meshes.

runJobs([openGeneration, openMeshes]);
