#!/usr/bin/env node
// `npm create kubets operator FOLDER` runs `kubets project new operator FOLDER` of the kubets with this package's version.
import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";

const { version } = JSON.parse(readFileSync(new URL("package.json", import.meta.url), "utf8"));
const given = process.argv.slice(2);
// What is begun may be left out: there is one kind of project that most people begin.
const words =
  given[0] === "operator" || given.some((word) => word === "-h" || word === "--help") ? given : ["operator", ...given];
const command = ["exec", "--yes", `--package=kubets@${version}`, "--", "kubets", "project", "new", ...words];
// npm itself runs this file, and says where it is; a shell finds npm.cmd on Windows.
const npm = process.env["npm_execpath"];
const isScript = npm !== undefined && /\.c?js$/.test(npm);
const child = isScript
  ? spawn(process.execPath, [npm, ...command], { stdio: "inherit" })
  : spawn("npm", command, { stdio: "inherit", shell: process.platform === "win32" });
child.on("error", (error) => {
  process.stderr.write(
    `error: npm cannot be started: ${error.message}\nTry: npx kubets@${version} project new ${words.join(" ")}\n`,
  );
  process.exitCode = 1;
});
child.on("exit", (code, signal) => {
  if (signal !== null) process.kill(process.pid, signal);
  else process.exitCode = code ?? 1;
});
