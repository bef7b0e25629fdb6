// The command line of build.mjs: which targets a build has, in their order.
import { distance } from "fastest-levenshtein";

/** The targets in the order in which they are built, with what each is. */
export const TARGETS = {
  generated:
    "src/api/facts/data, src/api/types, src/api/kinds and src/server/builtin/records.ts, made by tools/generate-*.mjs",
  library: "dist/*.js: the library, as ES modules",
  cli: "dist/cli: the program, as CommonJS; a code cache of its old code is removed",
  "code-cache": "dist/cli/code-cache: what V8 compiles of the program; needs library and cli",
  types: "dist/types: the declarations of what is public",
};

const FLAGS = {
  "--fast": "build library, cli and code-cache alone",
  "--only=TARGET": "build one target, or several with commas, and keep the rest of dist",
  "--dry-run": "print the targets in their order, and change nothing",
  "--help": "print this",
};

const FAST = ["library", "cli", "code-cache"];

/** What --help prints. */
export function helpText() {
  const lines = (rows) => Object.entries(rows).map(([name, text]) => `  ${name.padEnd(15)} ${text}`);
  const usage = "Usage: npm run build -- [--fast | --only=TARGET] [--dry-run] [--help]";
  return [usage, "", "Targets, in the order of a build:", ...lines(TARGETS), "", "Flags:", ...lines(FLAGS), ""].join(
    "\n",
  );
}

/**
 * @param {readonly string[]} args
 * @returns {{ help: boolean, dryRun: boolean, targets: string[], keepRest: boolean }} Throws an Error that names an unknown word.
 */
export function readCommandLine(args) {
  const flags = Object.keys(FLAGS).map((flag) => flag.replace("=TARGET", ""));
  let only;
  for (const arg of args) {
    const [flag, value] = arg.split("=", 2);
    if (!flags.includes(flag)) throw new Error(unknown("flag", flag, flags));
    if (flag !== "--only" && value !== undefined) throw new Error(`${flag} takes no value`);
    if (flag === "--only") only = [...(only ?? []), ...readTargets(value)];
  }
  const fast = args.includes("--fast");
  if (fast && only !== undefined) throw new Error("--fast and --only cannot be used together");
  const chosen = only ?? (fast ? FAST : Object.keys(TARGETS));
  return {
    help: args.includes("--help"),
    dryRun: args.includes("--dry-run"),
    targets: Object.keys(TARGETS).filter((target) => chosen.includes(target)),
    keepRest: only !== undefined,
  };
}

function readTargets(value) {
  const names = Object.keys(TARGETS);
  if (value === undefined || value === "") throw new Error(`--only needs a target: ${names.join(", ")}`);
  const targets = value.split(",");
  const wrong = targets.find((target) => !names.includes(target));
  if (wrong !== undefined) throw new Error(unknown("target", wrong, names));
  return targets;
}

function unknown(what, word, names) {
  const [nearest] = names.toSorted((a, b) => distance(a, word) - distance(b, word));
  return `unknown ${what} "${word}"; did you mean "${nearest}"? See npm run build -- --help`;
}
