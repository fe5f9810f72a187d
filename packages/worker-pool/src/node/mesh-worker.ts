import { openGeneration } from "../generation/generation-space.ts";
import { openMeshes } from "../mesh/mesh-space.ts";
import { runJobs } from "./run-jobs.ts";

// The program of a worker thread that generates and builds meshes.

runJobs([openGeneration, openMeshes]);
