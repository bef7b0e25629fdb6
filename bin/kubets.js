#!/usr/bin/env node
"use strict";
const { existsSync } = require("node:fs");
const { join } = require("node:path");
const { CachedRequire } = require("./cached-require.js");

const dist = join(__dirname, "../dist/cli");
const cached = new CachedRequire(dist);
let main;
try {
  main = cached.isFilled() ? cached.load("./main.cjs") : loadWithoutCache();
} catch (error) {
  if (existsSync(join(dist, "main.cjs"))) throw error;
  process.stderr.write("kubets is not built yet: run `npm run build` in its folder first\n");
  process.exitCode = 1;
}
void main?.runProcess(process).then((code) => (process.exitCode = code));

/** A Node that the package holds no cache for: from 22 on it keeps one of its own, among the system's temporary files. */
function loadWithoutCache() {
  require("node:module").enableCompileCache?.();
  return require("../dist/cli/main.cjs");
}
