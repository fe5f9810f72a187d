#!/usr/bin/env node
// Here before anything is built, so that npm finds what it links.
import { run } from "@orthant/cli";

await run();
