"use strict";
const { closeSync, mkdirSync, openSync, writeSync } = require("node:fs");
const { homedir } = require("node:os");
const { join } = require("node:path");
const { isatty } = require("node:tty");
const { target } = require("./executable.js");

/** Says on a terminal, once for each user, that Node runs before the executable, and what to install so that it does not. */
function sayThatNodeRunsFirst() {
  if (!isatty(2) || !isFirstTime()) return;
  writeSync(
    2,
    "kubets: @kubets/native starts Node before its executable here, because its install script did not replace this shim.\n" +
      `Without Node: npm uninstall -g @kubets/native && npm install -g @kubets/${target}\n` +
      "(This is said once.)\n",
  );
}

/** Makes the mark of having said it. Where that is impossible nothing is said, else it would be said at every start. */
function isFirstTime() {
  const { KUBETS_HOME, HOME, USERPROFILE } = process.env;
  const folder = KUBETS_HOME || join(HOME || USERPROFILE || homedir(), ".kubets");
  try {
    mkdirSync(folder, { recursive: true });
    closeSync(openSync(join(folder, "native-shim-noticed"), "wx"));
    return true;
  } catch {
    return false;
  }
}

module.exports = { sayThatNodeRunsFirst };
