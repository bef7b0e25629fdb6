/**
 * Where kubets differs from kubectl on purpose. Each class rewrites the text of both tools into what must be equal;
 * a class that no session needs fails the run, so that none outlives its reason.
 */
export interface MeantDifference {
  readonly name: string;
  readonly reason: string;
  /** Applied to stdout, stderr and requests of both tools. Returns the text unchanged where it does not apply. */
  readonly rewrite: (text: string) => string;
}

export const meantDifferences: readonly MeantDifference[] = [
  {
    name: "help prose",
    reason: "descriptions, examples and summaries are our own words; titles, usage line, commands and flag names are not",
    rewrite: (text) => (/^Usage:\n/m.test(text) ? helpSkeleton(text) : text),
  },
];

const TITLE = /^[A-Z][A-Za-z ()]*:$/;
const FLAG = /^ {4,}(-\w, )?--[\w-]+=/;

/** What of a help text is interface: its titles and usage lines, the names of its commands, its flags with defaults. */
function helpSkeleton(text: string): string {
  let title = "";
  return text
    .split("\n")
    .flatMap((line) => {
      if (TITLE.test(line)) {
        title = line;
        return [line];
      }
      if (title === "Usage:" || title === "Aliases:") return line === "" ? [] : [line];
      if (title === "Options:") return FLAG.test(line) ? [line] : [];
      if (title.includes("Commands")) return [/^ {2}(\S+) /.exec(line)?.[1] ?? ""].filter((name) => name !== "");
      return [];
    })
    .join("\n");
}
