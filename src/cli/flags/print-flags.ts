import { resolve } from "node:path";
import { PathError } from "../../base/files/path-error.js";
import { loadFormat, type PrintRequest } from "../../printers/formats.js";
import type { Factory } from "../connect/factory.js";
import type { FlagSpec, Flags } from "../../component/flags/flag-set.js";

/** The flag -o and those that belong to it, for commands that print the objects they handle. */
export const printFlags: readonly FlagSpec[] = [
  {
    name: "output",
    short: "o",
    type: "string",
    usage:
      "Output format. One of: (json, yaml, kyaml, name, go-template, go-template-file, template, templatefile, jsonpath, jsonpath-as-json, jsonpath-file)",
    load: loadFormat,
  },
  {
    name: "template",
    type: "string",
    usage: "The template, or the file that holds it, for -o go-template and -o go-template-file",
    load: loadTemplates,
  },
  {
    name: "allow-missing-template-keys",
    type: "bool",
    default: "true",
    usage: "A template may name fields and keys that are not there",
  },
  { name: "show-managed-fields", type: "bool", usage: "Keep managedFields in JSON and YAML output" },
];

/** Loads Go templates, which --template without -o uses. */
export function loadTemplates(): Promise<void> {
  return loadFormat("go-template");
}

export function readPrintRequest(
  flags: Flags,
  { cwd, files, look }: Pick<Factory, "cwd" | "files" | "look">,
): PrintRequest {
  return {
    output: flags.string("output"),
    template: flags.string("template"),
    allowMissingTemplateKeys: flags.bool("allow-missing-template-keys"),
    showManagedFields: flags.bool("show-managed-fields"),
    look,
    readFile: (path) => {
      try {
        return files.readFileSync(resolve(cwd, path)).toString("utf8");
      } catch (error) {
        throw new PathError("open", path, error);
      }
    },
  };
}
