#!/usr/bin/env node
"use strict";
const { join } = require("node:path");
const { CachedRequire } = require("./cached-require.js");

const dist = join(__dirname, "../dist/cli");
let main;
try {
  main = new CachedRequire(dist).load("./main.cjs");
} catch (error) {
  if (error?.code !== "ENOENT" || error.path !== join(dist, "main.cjs")) throw error;
  process.stderr.write("kubets is not built yet: run `npm run build` in its folder first\n");
  process.exitCode = 1;
}
void main?.runProcess(process).then((code) => (process.exitCode = code));
