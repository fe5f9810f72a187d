// Runs the server and the page, each of which reloads when you change its code. Ctrl-C ends both.
import { spawn } from "node:child_process";

for (const command of ["tsx watch src/server/main.ts", "vite"]) {
  spawn(command, { shell: true, stdio: ["ignore", "inherit", "inherit"] }).once("exit", process.exit);
}
