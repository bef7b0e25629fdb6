#!/usr/bin/env node
// `process` is the global: importing it, or node:fs, costs more than the rest of the start.
let main;
try {
  main = await import("../dist/main.js");
} catch (error) {
  if (error?.code !== "ERR_MODULE_NOT_FOUND" || !error.message.includes("main.js' imported from")) throw error;
  process.stderr.write("kubets is not built yet: run `npm run build` in its folder first\n");
  process.exitCode = 1;
}
if (main !== undefined) process.exitCode = await main.runProcess(process);
