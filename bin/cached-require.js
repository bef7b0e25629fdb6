"use strict";
const { existsSync, readFileSync } = require("node:fs");
const { join } = require("node:path");
const { Script } = require("node:vm");

const WRAPPER = ["(function (exports, require, module, __filename, __dirname) {", "\n})"];

/**
 * A `require` for the files of one folder that takes what V8 has compiled of them from a cache instead of compiling anew.
 * The cache belongs to one build of V8; what is not in it is compiled.
 */
class CachedRequire {
  /**
   * @param {string} folder
   * @param {string} [shownFolder] The folder in the names of scripts, which V8 keeps in what it has compiled.
   */
  constructor(folder, shownFolder = folder) {
    this.folder = folder;
    this.shownFolder = shownFolder;
    this.cacheFolder = join(folder, "code-cache", `${process.versions.v8}-${process.arch}`);
    /** By "./name.cjs": what is loaded, and the script it came from. */
    this.modules = new Map();
    this.scripts = new Map();
    this.require = (path) => this.load(path);
  }

  /** Whether there is a cache for this V8. */
  isFilled() {
    return existsSync(this.cacheFolder);
  }

  load(path) {
    const known = this.modules.get(path);
    if (known !== undefined) return known.exports;
    if (!path.startsWith("./")) return require(path.startsWith("../") ? join(this.folder, path) : path);
    const filename = join(this.folder, path);
    const script = new Script(WRAPPER[0] + readFileSync(filename, "utf8") + WRAPPER[1], {
      filename: join(this.shownFolder, path),
      cachedData: this.cacheOf(path),
    });
    const module = { exports: {} };
    this.modules.set(path, module);
    this.scripts.set(path, script);
    script.runInThisContext()(module.exports, this.require, module, filename, this.folder);
    return module.exports;
  }

  cacheOf(path) {
    try {
      return readFileSync(join(this.cacheFolder, path));
    } catch {
      return undefined;
    }
  }
}

module.exports = { CachedRequire };
