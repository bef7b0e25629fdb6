import type { FilenameOptions } from "../../resource/builder.js";
import type { FlagSpec, Flags } from "../../component/flags/flag-set.js";

/** Where commands take -f they mostly take this too. */
const kustomizeFlag: FlagSpec = {
  name: "kustomize",
  short: "k",
  type: "string",
  usage: "Directory with a kustomization, of which the objects are taken. Not together with -f or -R",
};

/** Returns -f, -k and -R. `usage` says what the command does with the files. */
export const filenameFlags = (usage: string): readonly FlagSpec[] => [
  { name: "filename", short: "f", type: "stringSlice", usage },
  kustomizeFlag,
  { name: "recursive", short: "R", type: "bool", usage: "Also read the directories below a directory named by -f" },
];

/** The flags of {@link filenameFlags} for commands that read folders recursively unless -R=false is given. -k needs -R=false there. */
export const recursiveFilenameFlags = (usage: string): readonly FlagSpec[] =>
  filenameFlags(usage).map((flag) => (flag.name === "recursive" ? { ...flag, default: "true" } : flag));

export const readFilenames = (flags: Flags): FilenameOptions => ({
  filenames: flags.strings("filename"),
  recursive: flags.bool("recursive"),
  kustomize: flags.has("kustomize") ? flags.string("kustomize") : "",
});

export const requireFilenames = ({ filenames, kustomize = "" }: FilenameOptions): void => {
  if (filenames.length === 0 && kustomize === "") throw new Error("must specify one of -f and -k");
};
