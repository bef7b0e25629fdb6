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
    reason:
      "a kubectl command that is not built yet is absent, from help and hints too; `cluster` is kubets' own, and `convert` is a plugin of kubectl's",
    rewrite: (text) => withoutCommands(text),
  },
  {
    name: "subcommands of kubets' own",
    reason:
      "`completion install` and `uninstall` are operands that kubectl refuses; its shells are completed as before",
    rewrite: (text) => withoutOwnSubcommands(text),
  },
  {
    name: "order of what Go holds in maps",
    reason:
      "kubectl takes headers of a curl command, its feature gates and the reasons of a drain out of a Go map, and reads the discovery cache in goroutines: in no order",
    rewrite: (text) => withSortedReasons(withSortedLog(text)),
  },
  {
    name: "answers in protobuf",
    reason:
      "client-go's typed clients prefer them, and kubets reads JSON: a header of the request in the log, and the answer to what both sent as protobuf",
    rewrite: (text) =>
      withoutTypedAnswers(text.replace(/^(\tAccept: |.* -H "Accept: )application\/vnd\.kubernetes\.protobuf,/gm, "$1")),
  },
  {
    name: "OpenAPI v2 beside v3",
    reason:
      "to apply a custom kind, which v3 says has no strategic merge patch, kubectl downloads v2 too, which says the same",
    rewrite: (text) => text.replace(V2_BESIDE_V3, ""),
  },
  {
    name: "flags of kubets' own",
    reason: "what kubectl's users ask for and it has not; nothing changes for who does not give them",
    rewrite: (text) => text.replace(OWN_FLAG_LINE, ""),
  },
];

/** In the log: a request whose body is protobuf, and the headers and the body of its answer. */
const TYPED_ANSWER =
  /(^\tContent-Type: application\/vnd\.kubernetes\.protobuf\n(?:\t.*\n)* >\n.*"Response" .*headers=<\n)((?:\t.*\n)*)( > .*\n)(.*"Response Body" body=(?:<\n(?:\t.*\n)* >|".*")\n)?/gm;

function withoutTypedAnswers(text: string): string {
  return text.replace(TYPED_ANSWER, (_, request: string, headers: string, end: string, body = "") => {
    const shown = headers.replace(/^(\tContent-(?:Length|Type): ).*$/gm, "$1<FORM>");
    return `${request}${shown}${end}${body === "" ? "" : "<BODY>\n"}`;
  });
}

const V2_BESIDE_V3 =
  /^GET \/openapi\/v2\?timeout=32s\n(?=GET \/openapi\/v3\?timeout=32s\nGET \/apis\/[a-z.]*\.example\.com\/)/gm;

/** Names that no command of kubectl has: a line of help or a completion candidate with one is ours. */
const OWN_FLAGS = [
  "any",
  "color",
  "example",
  "fail-on",
  "fit",
  "hide-server-fields",
  "no-tar",
  "offline",
  "ordered",
  "reconnect",
  "resume",
  "retry",
  "search",
  "version",
  "watch-pods",
];
const OWN_FLAG_LINE = new RegExp(`^ *--(?:${OWN_FLAGS.join("|")})(?:=.*)?(?:\\n|$)`, "gm");

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
    .replace(/\n\nDid you mean this\?\n((?:\t\S+\n)+)/, (_block, list: string) => {
      const left = list.replace(/^\t(.*)\n/gm, (line, name: string) => (names.has(name) ? "" : line));
      return left === "" ? "\n" : `\n\nDid you mean this?\n${left}`;
    })
    .replace(/^(Deploy|Troubleshooting and Debugging) Commands:\n/gm, "")
    .replace(/^[a-z-]+\n/gm, (line) => (/^Basic Commands/m.test(text) && names.has(line.trim()) ? "" : line));
}

/** Of `completion`: the section of its help with the hint below it, and the candidates beside the names of shells. */
function withoutOwnSubcommands(text: string): string {
  if (!/^ +kubectl completion SHELL /m.test(text) && !/^powershell$/m.test(text)) return text;
  return text
    .replace(/^Available Commands:\n(?:install|uninstall)\n(?:install|uninstall)\n/m, "")
    .replace(/^Use "kubectl completion <command> --help" for more .*\n/m, "")
    .replace(/^(?:install|uninstall)\n/gm, "");
}

/** Candidates of a completion without what describes them. */
function withoutDescriptions(text: string): string {
  return /^:\d+$/m.test(text) ? text.replace(/^([^\t\n]+)\t.*$/gm, "$1") : text;
}

const FEATURE_GATES = /(?:^I<KLOG> envvar\.go:195\] .*\n)+/gm;
const CACHED_LISTS = /(?:^I<KLOG> cached_discovery\.go:91\] .*\n)+/gm;
const CURL_HEADERS = /(?: -H "(?:[^"\\]|\\.)*")+/g;

const sortedLines = (lines: string): string => lines.split("\n").slice(0, -1).sort().join("\n") + "\n";

function withSortedLog(text: string): string {
  return text
    .replace(FEATURE_GATES, sortedLines)
    .replace(CACHED_LISTS, sortedLines)
    .replace(/^\tcurl -v .*$/gm, (command) =>
      command.replace(CURL_HEADERS, (flags) =>
        flags
          .split(/(?= -H ")/)
          .sort()
          .join(""),
      ),
    );
}

/** Of a drain: "Warning: A: pods; B: pods", "due to error: [A, B], continuing" and the errors at the end, a line each. */
const DRAIN_WARNING = /^(Warning: )((?:ignoring|deleting) .*)$/gm;
const DRAIN_ERRORS = /( due to error: \[)(.*)(\], continuing command\.\.\.)$/gm;
const DRAIN_ERROR_LINES = /(?:^cannot delete .*\n){2,}/gm;

function withSortedReasons(text: string): string {
  return text
    .replace(DRAIN_WARNING, (_, start: string, reasons: string) => start + reasons.split("; ").sort().join("; "))
    .replace(
      DRAIN_ERRORS,
      (_, start: string, reasons: string, end: string) =>
        start +
        reasons
          .split(/, (?=cannot delete )/)
          .sort()
          .join(", ") +
        end,
    )
    .replace(DRAIN_ERROR_LINES, sortedLines);
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
