// The install script of @kubets/native: puts the executable in the place of the shim, so that a start does without Node.
"use strict";
const { execFileSync } = require("node:child_process");
const { chmodSync, copyFileSync, linkSync, renameSync, rmSync } = require("node:fs");
const { join } = require("node:path");
const { findExecutable, WAY_OUT } = require("./executable.js");

const command = join(__dirname, "bin/kubets");

try {
  const executable = findExecutable();
  tryOut(executable);
  // On Windows npm has written by now how the shim is started. Of other package managers it is not known.
  const byNpm = (process.env.npm_config_user_agent ?? "").startsWith("npm/");
  if (byNpm && process.platform !== "win32") replaceShim(executable);
} catch (error) {
  process.stderr.write(`error: ${error.message}\n`);
  process.exitCode = 1;
}

function tryOut(executable) {
  try {
    execFileSync(executable, ["version", "--client"], { stdio: ["ignore", "ignore", "pipe"] });
  } catch (error) {
    throw new Error(
      `the executable does not run on this machine: ${error.stderr?.toString().trim() || error.message}\n${WAY_OUT}`,
    );
  }
}

/** The command is the shim or the executable at every moment: a broken install leaves the shim. */
function replaceShim(executable) {
  const beside = `${command}.new`;
  rmSync(beside, { force: true });
  try {
    linkSync(executable, beside);
  } catch {
    // Another file system, or one without hard links.
    copyFileSync(executable, beside);
  }
  chmodSync(beside, 0o755);
  renameSync(beside, command);
  // A rename between two links to one file leaves both.
  rmSync(beside, { force: true });
}
