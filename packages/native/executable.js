"use strict";
const { optionalDependencies } = require("./package.json");

const PREFIX = "@kubets/native-";

/** "linux-x64": the platform of this process, as the packages name it. */
const target = `${process.platform === "win32" ? "windows" : process.platform}-${process.arch}`;

/**
 * The path of this platform's executable, which is in a package that npm installs beside this one.
 * Throws an error whose message says what to install instead where there is none.
 */
function findExecutable() {
  const name = PREFIX + target;
  if (!(name in optionalDependencies)) {
    const targets = Object.keys(optionalDependencies).map((other) => other.slice(PREFIX.length));
    throw new Error(`@kubets/native has no executable for ${target}, only for ${targets.join(", ")}\n${WAY_OUT}`);
  }
  try {
    return require.resolve(`${name}/${process.platform === "win32" ? "kubets.exe" : "kubets"}`);
  } catch {
    const why = "npm leaves it out with --omit=optional and on a Linux without glibc";
    throw new Error(`the package ${name}, which holds the executable, is not installed: ${why}\n${WAY_OUT}`);
  }
}

const WAY_OUT =
  "kubets in JavaScript runs wherever Node does: npm uninstall -g @kubets/native && npm install -g kubets";

module.exports = { findExecutable, target, WAY_OUT };
