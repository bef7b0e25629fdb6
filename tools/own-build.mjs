// An esbuild plugin: which kubets is built stands in the place of src/cli/own-build.ts. The commit and its date are the same whenever it
// is built, so that two builds of one commit are equal.
import { execFileSync } from "node:child_process";
import { readFileSync, realpathSync } from "node:fs";
import { join } from "node:path";

/** @param {string} root The folder of package.json. */
export const ownBuild = (root) => ({
  name: "own-build",
  setup(pass) {
    pass.onLoad({ filter: /src[\\/]cli[\\/]own-build\.ts$/ }, () => ({
      contents: `export const ownBuild = ${JSON.stringify(describeBuild(root))};`,
    }));
  },
});

/** As `OwnBuild` of src/cli/own-build.ts. */
function describeBuild(root) {
  const { version } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
  try {
    // A folder that was unpacked somewhere below another repository is none of its commits.
    if (git(root, "rev-parse", "--show-toplevel") !== realpathSync(root)) return { version, commit: "", date: "" };
    const [commit, date] = git(root, "log", "-1", "--format=%H %cI").split(" ");
    const changed = git(root, "status", "--porcelain", "--untracked-files=no");
    return { version, commit: changed === "" ? commit : `${commit}-modified`, date };
  } catch {
    return { version, commit: "", date: "" };
  }
}

const git = (root, ...words) =>
  execFileSync("git", words, { cwd: root, encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] }).trim();
