import { root } from "../../src/commands/root.js";

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
    reason:
      "descriptions, examples and summaries are our own words; titles, usage line, commands and flag names are not",
    rewrite: (text) => (HELP.test(text) ? helpSkeleton(text) : withoutDescriptions(text)),
  },
  {
    name: "commands of one tool only",
    reason: "a kubectl command that is not built yet is absent, from help and hints too; `cluster` is kubets' own",
    rewrite: (text) => withoutCommands(text),
  },
  {
    name: "flags and subcommands that are not built yet",
    reason: "kubectl's kustomize, prune, server-side apply, edit and the subcommands of create, apply and cluster-info",
    rewrite: (text) => withoutFlags(withoutSubcommands(text)),
  },
];

const HELP = /^(Usage:|The following options can be passed to any command:)\n/m;

const KUBECTL_COMMANDS =
  "annotate api-resources api-versions apply attach auth autoscale certificate cluster-info completion config cordon cp create debug delete describe diff drain edit events exec explain expose get help kuberc kustomize label logs options patch plugin port-forward proxy replace rollout run scale set taint top uncordon version wait".split(
    " ",
  );
const OURS = new Set(root.children?.map(({ name }) => name));
/** What this kubets has not, of what kubectl has, and the reverse. */
const ONE_TOOL_ONLY = KUBECTL_COMMANDS.filter((name) => !OURS.has(name)).concat(
  [...OURS].filter((name) => !KUBECTL_COMMANDS.includes(name)),
);

function withoutCommands(text: string): string {
  const names = new Set(ONE_TOOL_ONLY);
  return text
    .replace(/^Use "kubectl explain <resource>" for a detailed description of that resource .*\n/m, "")
    .replace(/\n\nDid you mean this\?\n((?:\t\S+\n)+)/, (_block, list: string) => {
      const left = list.replace(/^\t(.*)\n/gm, (line, name: string) => (names.has(name) ? "" : line));
      return left === "" ? "\n" : `\n\nDid you mean this?\n${left}`;
    })
    .replace(/^(Deploy|Troubleshooting and Debugging) Commands:\n/gm, "")
    .replace(/^[a-z-]+\n/gm, (line) => (/^Basic Commands/m.test(text) && names.has(line.trim()) ? "" : line));
}

const FLAGS_TO_COME = "kustomize edit force-conflicts prune prune-allowlist server-side".split(" ");
/** Flags that apply lacks and other commands have. */
const FLAGS_TO_COME_IN_APPLY = ["all", "subresource"];

/** Out of the skeleton of a help text, and out of a list of candidates. */
function withoutFlags(text: string): string {
  const isApply = /^ {2}kubectl apply /m.test(text);
  const names = isApply ? [...FLAGS_TO_COME, ...FLAGS_TO_COME_IN_APPLY] : FLAGS_TO_COME;
  return text.replace(new RegExp(`^(?: {4}(?:-k, )?)?(?:--(?:${names.join("|")})(?:=.*:)?|-k)\\n`, "gm"), "");
}

/** Of the commands whose subcommands are all to come. */
function withoutSubcommands(text: string): string {
  const command = /^ {2}kubectl (create|apply|cluster-info) /m.exec(text)?.[1];
  if (command === undefined) return text;
  return text
    .replace(/^Available Commands:\n([a-z-]+\n)+/m, "")
    .replace(`Use "kubectl ${command} <command> --help" for more information about a given command.\n`, "");
}

/** Candidates of a completion without what describes them. */
function withoutDescriptions(text: string): string {
  return /^:\d+$/m.test(text) ? text.replace(/^([^\t\n]+)\t.*$/gm, "$1") : text;
}

const TITLE = /^[A-Z][A-Za-z -()]*:$/;
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
      if (title === "Options:" || title.startsWith("The following")) return FLAG.test(line) ? [line] : [];
      if (title.includes("Commands")) return [/^ {2}(\S+) /.exec(line)?.[1] ?? ""].filter((name) => name !== "");
      return [];
    })
    .join("\n");
}
