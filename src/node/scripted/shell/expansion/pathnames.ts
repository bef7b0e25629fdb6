import { Pace } from "../../../../base/time/pace.js";
import { sortSteps } from "../../../../base/async/sort-steps.js";
import type { Steps } from "../../../../base/async/steps.js";
import { absolute, type FileSystem } from "../../files/file-system.js";
import { Glob, type PatternPiece } from "./glob.js";

/** What is looked at for one name costs about as much as so many steps of other walks. */
const LOOKS_PER_STEP = 32;
/** What a path holds beside its characters. */
const PATH_BYTES = 64;

/**
 * The paths that match, sorted; none where nothing does. Names with a dot match only a dot. `take` counts the bytes of what is found: a
 * link to a folder above it leads to any number of paths.
 */
export function* matchingPaths(
  files: FileSystem,
  cwd: string,
  pattern: readonly PatternPiece[],
  take: (bytes: number) => void,
): Steps<readonly string[]> {
  const globs = Glob.ofPath(pattern);
  // A bracket that nothing closes means itself: the name of a program.
  if (globs.every(({ text }) => text !== undefined)) return [];
  const pace = new Pace(LOOKS_PER_STEP);
  let found = [globs.length > 1 && globs[0]?.text === "" ? "/" : ""];
  for (const glob of globs.filter(({ text }) => text !== "")) {
    const next: string[] = [];
    const add = (path: string): void => {
      take(path.length + PATH_BYTES);
      next.push(path);
    };
    for (const folder of found) {
      if (pace.isDue()) yield;
      const name = glob.text;
      if (name !== undefined) {
        if (files.look(absolute(cwd, `${folder}${name}`)) !== undefined) add(`${folder}${name}/`);
        continue;
      }
      const node = files.look(absolute(cwd, folder === "" ? "." : folder));
      if (node?.kind !== "directory") continue;
      const names: string[] = [];
      for (const one of node.entries.keys()) {
        if (pace.isDue()) yield;
        if ((glob.beginsWithDot || !one.startsWith(".")) && (yield* glob.matches(one))) names.push(one);
      }
      for (const one of yield* sortSteps(names, (a, b) => (a < b ? -1 : 1))) add(`${folder}${one}/`);
    }
    found = next;
  }
  return found.map((path) => path.slice(0, -1)).filter((path) => path !== "");
}
