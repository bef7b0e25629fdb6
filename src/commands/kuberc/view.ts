import { createInterface } from "node:readline";
import type { Readable } from "node:stream";
import type { Command, Invocation } from "../../cli/command.js";
import type { Factory } from "../../cli/connect/factory.js";
import { printFlags, readPrintRequest } from "../../cli/flags/print-flags.js";
import type { KubercPlace } from "../../cli/kuberc/read-kuberc.js";
import { encodeJson } from "../../machinery/wire/json/json-encoder.js";
import type { KubeObject } from "../../machinery/meta/object.js";
import { printerFor } from "../../printers/formats.js";
import {
  encodeStored,
  kubercFlag,
  newPreference,
  parseStored,
  placeOf,
  readStored,
  saveStored,
  type StoredPreference,
} from "./stored-preference.js";

export interface ViewOptions extends KubercPlace {
  readonly cwd: string;
  readonly stdin: () => Readable;
  readonly write: (text: string) => void;
  readonly printer: () => (object: KubeObject) => void;
}

export function viewCommand(run = runView): Command {
  return {
    use: "view",
    description: "Show the preferences in the format that is asked for.",
    examples: `# Show the preferences
{{program}} kuberc view

# As JSON
{{program}} kuberc view --output json

# Those of another file
{{program}} kuberc view --kuberc ./team-preferences`,
    flags: [kubercFlag, ...printFlags.map((spec) => (spec.name === "output" ? { ...spec, default: "yaml" } : spec))],
    execute: async (factory, invocation) => run(complete(factory, invocation)),
  };
}

function complete(factory: Factory, invocation: Invocation): ViewOptions {
  const { streams, cwd } = factory;
  return {
    ...placeOf(factory, invocation),
    cwd,
    stdin: () => streams.in,
    write: (text) => void streams.out.write(text),
    printer: () => printTo(factory, invocation),
  };
}

/** Fields stay in their own order, where a format shows one. */
function printTo(factory: Factory, { flags }: Invocation): (object: KubeObject) => void {
  const request = { ...readPrintRequest(flags, factory), encode: (object: KubeObject) => encodeJson(object) };
  const byTemplate = request.template !== "" && !flags.changed("output");
  const printer = printerFor(byTemplate ? { ...request, output: "" } : request);
  return (object) => printer.print(object, (text) => void factory.streams.out.write(text));
}

/** Prints the preferences. If the file does not exist, it asks on stdin whether to create one. */
export async function runView({ path, explicit, cwd, stdin, write, printer }: ViewOptions): Promise<void> {
  const text = readStored(path, cwd);
  if (text === undefined) {
    if (explicit) throw new Error(`kuberc file not found at ${path}`);
    write(`kuberc file not found at ${path}\n`);
    write("Would you like to generate a default kuberc file with recommended options? (y/N): ");
    if ((await answer(stdin())).toLowerCase() === "y") saveStored(recommended(), path, { cwd, write });
    return;
  }
  printer()(encodeStored(parseStored(text, path), []) as KubeObject);
}

/** The only word of the first line; "" when there are more of them. */
async function answer(stdin: Readable): Promise<string> {
  for await (const line of createInterface({ input: stdin })) {
    const words = line.split(/\s+/).filter((word) => word !== "");
    return words.length === 1 ? (words[0] ?? "") : "";
  }
  return "";
}

function recommended(): StoredPreference {
  const always = (command: string, name: string) => ({ command, options: [{ name, default: "true" }] });
  return { ...newPreference(), defaults: [always("apply", "server-side"), always("delete", "interactive")] };
}
