import type { Command } from "../../cli/command.js";
import { completeWords } from "../../cli/completion/resource-completers.js";
import {
  cascadeFlag,
  recordFlag,
  CLIENT_SIDE_MANAGER,
  pruneAllowlistFlag,
  serverSideFlags,
} from "../../cli/flags/change-flags.js";
import { printFlags } from "../../cli/flags/print-flags.js";
import {
  dryRunFlag,
  fieldManagerFlag,
  filenameFlags,
  selectorFlag,
  validateFlag,
} from "../../cli/flags/resource-flags.js";
import { SUBRESOURCES, subresourceFlag } from "../../cli/flags/selection-flags.js";
import { complete } from "./complete.js";
import { runApply } from "./run.js";

export function applyCommand(run = runApply): Command {
  return {
    use: "apply (-f FILENAME | -k DIRECTORY)",
    description: `Make resources what files, directories, URLs or stdin say they are. What does not exist is created; what does is changed
where the file changed since it was applied last, and fields that others set are left alone.

With --server-side the server merges, and refuses to change fields that another manager owns. With --prune what was applied
earlier and is not in the files any more is deleted; try it with --dry-run=server or the diff command first.`,
    examples: `# Apply what pod.json describes
{{program}} apply -f ./pod.json

# Apply what arrives on stdin
cat pod.json | {{program}} apply -f -

# Apply every JSON file of this directory
{{program}} apply -f '*.json'

# A namespace, a definition and what uses them, whatever the order of the files
{{program}} apply --ordered -f app/

# Let the server merge
{{program}} apply --server-side -f app.yaml

# Apply a folder, and delete the config maps that are not in it any more
{{program}} apply -f app/ --prune --all --prune-allowlist=core/v1/ConfigMap`,
    flags: [
      ...filenameFlags("The files that contain the configurations to apply"),
      cascadeFlag,
      { name: "force", type: "bool", usage: "Delete and create again what cannot be patched" },
      {
        name: "grace-period",
        type: "int",
        default: "-1",
        usage: "With --force and --prune: seconds given to an object to end. Negative leaves it to the object",
      },
      {
        name: "timeout",
        type: "duration",
        default: "0s",
        usage:
          "With --force: how long the old object may take to go. With --ordered: how long what others need may take to be there; a minute if it is 0",
      },
      { name: "wait", type: "bool", usage: "Accepted for scripts written for kubectl; has no effect here" },
      recordFlag,
      ...printFlags,
      validateFlag,
      dryRunFlag,
      ...serverSideFlags,
      fieldManagerFlag(CLIENT_SIDE_MANAGER),
      selectorFlag,
      pruneAllowlistFlag,
      { name: "all", type: "bool", usage: "With --prune: whatever its labels" },
      {
        name: "applyset",
        type: "string",
        gate: "KUBECTL_APPLYSET",
        usage:
          "With --prune: the object that keeps track of the set, as [RESOURCE[.GROUP]/]NAME. A Secret when no type is named",
      },
      {
        name: "ordered",
        type: "bool",
        usage:
          "Apply by kind, not in the order of the files: namespaces and definitions of custom resources first, each waited for until it can be used, then what others refer to, workloads, the rest, and webhooks last",
      },
      { name: "prune", type: "bool", usage: "Delete what was applied earlier and is in the files no more" },
      {
        name: "overwrite",
        type: "bool",
        default: "true",
        usage: "Where the file and the live object both changed, take the file's value",
      },
      {
        name: "openapi-patch",
        type: "bool",
        default: "true",
        usage: "Take merge keys from the server's OpenAPI document rather than from the built-in types",
      },
      subresourceFlag,
    ],
    execute: async (factory, invocation) => run(await complete(factory, invocation)),
    completeFlags: { subresource: completeWords(SUBRESOURCES) },
  };
}
