import { expect, test } from "vitest";
import { installHint } from "../../../../src/base/files/own-program.js";

const packages = new Set(["/home/me/shop/package.json", "/home/me/.npm/_npx/0a1b2c/package.json"]);

// Project, global folder and npx were tried with a packed kubets: the program finds libsql when what is said has been done.
test.each([
  ["in a project", "/home/me/shop/node_modules/kubets/dist/w.js", "run `npm install libsql` in /home/me/shop"],
  [
    "below another package of a project",
    "/home/me/shop/node_modules/tool/node_modules/kubets/dist/w.js",
    "run `npm install libsql` in /home/me/shop",
  ],
  ["for all users", "/usr/lib/node_modules/kubets/dist/w.js", "run `npm install --global libsql`"],
  [
    "for all users of Windows",
    "C:\\Users\\me\\AppData\\Roaming\\npm\\node_modules\\kubets\\dist\\w.js",
    "run `npm install --global libsql`",
  ],
  [
    "by npx",
    "/home/me/.npm/_npx/0a1b2c/node_modules/kubets/dist/w.js",
    "run it by `npx --package=kubets --package=libsql kubets ...`",
  ],
  [
    "by pnpm",
    "/home/me/shop/node_modules/.pnpm/kubets@1.0.0/node_modules/kubets/dist/w.js",
    "run `pnpm add libsql` where kubets was added",
  ],
  ["in a checkout", "/home/me/kubets/dist/w.js", "run `npm install libsql`"],
])("the error about a missing SQLite driver tells a program installed %s how to install it", (_title, file, hint) => {
  expect(installHint(file, "libsql", (path) => packages.has(path))).toBe(hint);
});
