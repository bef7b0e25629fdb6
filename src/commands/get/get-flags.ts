import type { FlagSpec } from "../../cli/flags/flag-set.js";
import { loadTemplates } from "../../cli/flags/print-flags.js";
import { getFormats } from "../../printers/formats.js";
import { loadSorting, loadGetFormat } from "./to-printer.js";

export const getFlags: readonly FlagSpec[] = [
  { name: "show-managed-fields", type: "bool", usage: "Keep metadata.managedFields in JSON and YAML output." },
  {
    name: "template",
    type: "string",
    usage: "The template, or the file that holds it, for the output formats that take one.",
    load: loadTemplates,
  },
  {
    name: "allow-missing-template-keys",
    type: "bool",
    default: "true",
    usage: "A field or key that a template names and the object lacks is not an error.",
  },
  { name: "show-labels", type: "bool", usage: "Add a last column with all labels." },
  {
    name: "sort-by",
    type: "string",
    usage:
      "Sort lists by the field this JSONPath expression names, such as '{.metadata.name}': a number or text. Without braces there may be " +
      "several, parted by commas, and one after a minus sorts the other way round: .metadata.namespace,-.metadata.creationTimestamp",
    load: loadSorting,
  },
  {
    name: "label-columns",
    short: "L",
    type: "stringSlice",
    usage: "Labels to show as columns, separated by commas; may be repeated. Case matters.",
  },
  { name: "show-kind", type: "bool", usage: "Show the type before each name." },
  {
    name: "output",
    short: "o",
    type: "string",
    usage: `Output format, one of: (${getFormats.join(", ")}). For Secrets also "decoded": their data as it is, not as base64.`,
    load: loadGetFormat,
  },
  { name: "no-headers", type: "bool", usage: "Leave the headings out of tables and custom columns." },
  { name: "raw", type: "string", usage: "Ask the server for this URI and print the answer as it is." },
  { name: "watch", short: "w", type: "bool", usage: "After the list, show changes as they happen." },
  { name: "watch-only", type: "bool", usage: "Show changes as they happen, without the list first." },
  {
    name: "output-watch-events",
    type: "bool",
    usage: "With --watch or --watch-only, print events instead of objects; what exists already comes as ADDED.",
  },
  {
    name: "ignore-not-found",
    type: "bool",
    usage: "An object that is named and does not exist is not an error, and an empty result says nothing.",
  },
  {
    name: "field-selector",
    type: "string",
    usage:
      "Only objects whose fields match, with '=', '==' and '!=' (key1=value1,key2=value2). Few fields are supported per type.",
  },
  {
    name: "all-namespaces",
    short: "A",
    type: "bool",
    usage: "List across all namespaces, whatever --namespace says.",
  },
  {
    name: "server-print",
    type: "bool",
    default: "true",
    usage: "Let the server make the table, which knows extension types too.",
  },
  {
    name: "filename",
    short: "f",
    type: "stringSlice",
    usage: "File, directory or URL that names what to get.",
  },
  {
    name: "kustomize",
    short: "k",
    type: "string",
    usage: "Directory with a kustomization, of which the objects are got. Not together with -f or -R.",
  },
  {
    name: "recursive",
    short: "R",
    type: "bool",
    usage: "Read the directories given with -f with all that is below them.",
  },
  {
    name: "chunk-size",
    type: "int64",
    default: "500",
    usage: "Read large lists in pages of this size; 0 reads them at once.",
  },
  {
    name: "selector",
    short: "l",
    type: "string",
    usage: "Only objects whose labels match, with '=', '==', '!=', 'in' and 'notin' (-l key1=value1,key2 in (a,b)).",
  },
  { name: "subresource", type: "string", usage: "Get this subresource of the object." },
];
