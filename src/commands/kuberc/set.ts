import { goQuote } from "../../base/text/go-quote.js";
import type { Command, Invocation } from "../../cli/command.js";
import type { Factory } from "../../cli/connect/factory.js";
import {
  kubercFlag,
  newPreference,
  parseStored,
  placeOf,
  readStored,
  saveStored,
  type StoredOption,
  type StoredPreference,
} from "./stored-preference.js";

type Section = "defaults" | "aliases" | "credentialplugin";

export interface SetOptions {
  readonly path: string;
  readonly cwd: string;
  readonly write: (text: string) => void;
  readonly section: Section;
  readonly command: string;
  readonly aliasName: string;
  /** FLAG=VALUE. */
  readonly options: readonly string[];
  readonly prependArgs: readonly string[];
  readonly appendArgs: readonly string[];
  readonly overwrite: boolean;
  readonly policy: string;
  /** FIELD=VALUE, several with commas. */
  readonly allowlistEntries: readonly string[];
}

export function setCommand(run = runSet): Command {
  return {
    use: "set --section (defaults|aliases) --command COMMAND",
    description: `Set one entry of the preferences.

 --section defaults sets what flags of a command are when they are not given. --command is the command alone ("get", "set env"), without resources.

 --section aliases makes a command of your own out of another one, with flags and arguments that go with it: --prependarg puts arguments before what is typed, --appendarg after it.

 --section credentialplugin says which plugins may be run to log in.

 An entry that is there is changed only with --overwrite; what is not given then stays.`,
    examples: `# Let get print more columns unless it is told otherwise
{{program}} kuberc set --section defaults --command get --option output=wide

# The same for a command of two words
{{program}} kuberc set --section defaults --command "set env" --option output=yaml

# getn lists nodes
{{program}} kuberc set --section aliases --name getn --command get --prependarg nodes --option output=wide

# runx runs an image with arguments of its own
{{program}} kuberc set --section aliases --name runx --command run --option image=nginx --appendarg "--" --appendarg custom-arg

# Only one plugin may log in
{{program}} kuberc set --section credentialplugin --policy Allowlist --allowlist-entry command=cloud-login`,
    flags: [
      kubercFlag,
      {
        name: "section",
        type: "string",
        required: true,
        usage: "What to set: 'defaults', 'aliases' or 'credentialplugin'",
      },
      { name: "command", type: "string", usage: "The command, for instance 'get' or 'set env'" },
      { name: "name", type: "string", usage: "Name of the alias" },
      {
        name: "policy",
        type: "string",
        usage: "Which credential plugins may run: 'AllowAll', 'DenyAll' or 'Allowlist'",
      },
      { name: "option", type: "stringArray", usage: "A flag and its value, FLAG=VALUE; repeat it for more" },
      {
        name: "prependarg",
        type: "stringArray",
        usage: "Argument to put before those that are typed, for aliases; repeat it for more",
      },
      {
        name: "appendarg",
        type: "stringArray",
        usage: "Argument to put after those that are typed, for aliases; repeat it for more",
      },
      {
        name: "allowlist-entry",
        type: "stringArray",
        usage: "A plugin that may run, as command=NAME or command=PATH; repeat it for more",
      },
      { name: "overwrite", type: "bool", usage: "Change an entry that is there" },
    ],
    execute: async (factory, invocation) => run(complete(factory, invocation)),
  };
}

function complete(factory: Factory, invocation: Invocation): SetOptions {
  const { flags } = invocation;
  const { path } = placeOf(factory, invocation);
  return validated({
    path,
    cwd: factory.cwd,
    write: (text) => void factory.streams.out.write(text),
    section: flags.string("section"),
    command: flags.string("command"),
    aliasName: flags.string("name"),
    options: flags.strings("option"),
    prependArgs: flags.strings("prependarg"),
    appendArgs: flags.strings("appendarg"),
    overwrite: flags.bool("overwrite"),
    policy: flags.string("policy"),
    allowlistEntries: flags.strings("allowlist-entry"),
  });
}

type Given = Omit<SetOptions, "section"> & { readonly section: string };

function isSection(text: string): text is Section {
  return text === "defaults" || text === "aliases" || text === "credentialplugin";
}

function validated(given: Given): SetOptions {
  const { section, aliasName, command } = given;
  if (!isSection(section)) {
    throw new Error(`--section must be "defaults", "aliases", or "credentialplugin", got: ${section}`);
  }
  if (section === "aliases" && aliasName === "") throw new Error("--name is required when --section=aliases");
  if (section === "defaults" && aliasName !== "") {
    throw new Error("--name should not be specified when --section=defaults");
  }
  if (section === "defaults" && given.prependArgs.length + given.appendArgs.length > 0) {
    throw new Error("--prependarg and --appendarg are only valid for --section=aliases");
  }
  if (section === "credentialplugin") validatePolicy(given);
  else if (command === "") throw new Error("--command is required when --section=aliases or --section=defaults");
  return { ...given, section };
}

export function runSet(options: SetOptions): Promise<void> {
  const text = readStored(options.path, options.cwd);
  const stored = text === undefined ? newPreference() : parseStored(text, options.path);
  const flags = options.options.map(parseOption);
  saveStored(changed(stored, options, flags), options.path, options);
  return Promise.resolve();
}

/** Dashes before the name are taken off. */
function parseOption(text: string): StoredOption {
  const equals = text.indexOf("=");
  if (equals < 0) throw new Error(`invalid option format ${goQuote(text)}, expected flag=value`);
  return { name: text.slice(0, equals).replace(/^-+/, ""), default: text.slice(equals + 1) };
}

function changed(stored: StoredPreference, options: SetOptions, flags: readonly StoredOption[]): StoredPreference {
  switch (options.section) {
    case "defaults":
      return { ...stored, defaults: withDefaults(stored.defaults ?? [], options, flags) };
    case "aliases":
      return { ...stored, aliases: withAlias(stored.aliases ?? [], options, flags) };
    case "credentialplugin":
      return { ...stored, ...credentialPluginPreference(options) };
  }
}

type List<K extends "defaults" | "aliases"> = NonNullable<StoredPreference[K]>;

function withDefaults(
  list: List<"defaults">,
  { command, overwrite }: SetOptions,
  flags: readonly StoredOption[],
): List<"defaults"> {
  const index = list.findIndex((entry) => (entry.command ?? "") === command);
  if (index < 0) return [...list, { command, options: flags.length === 0 ? null : flags }];
  if (!overwrite) {
    throw new Error(`defaults for command ${goQuote(command)} already exist, use --overwrite to replace`);
  }
  return list.with(index, { command, options: flags.length === 0 ? (list[index]?.options ?? null) : flags });
}

function withAlias(
  list: List<"aliases">,
  { aliasName: name, command, prependArgs, appendArgs, overwrite }: SetOptions,
  options: readonly StoredOption[],
): List<"aliases"> {
  const index = list.findIndex((entry) => (entry.name ?? "") === name);
  if (index < 0) return [...list, { name, command, prependArgs, appendArgs, options }];
  if (!overwrite) throw new Error(`alias ${goQuote(name)} already exists, use --overwrite to replace`);
  const before = list[index];
  const kept = <T>(given: readonly T[], old: readonly T[] | null | undefined): readonly T[] =>
    given.length === 0 ? (old ?? []) : given;
  return list.with(index, {
    name,
    command,
    prependArgs: kept(prependArgs, before?.prependArgs),
    appendArgs: kept(appendArgs, before?.appendArgs),
    options: kept(options, before?.options),
  });
}

interface PolicyOptions {
  readonly policy: string;
  readonly allowlistEntries: readonly string[];
}

/** Checks that --policy and --allowlist-entry fit each other. */
export function validatePolicy({ policy, allowlistEntries }: PolicyOptions): void {
  if (policy === "") throw new Error("--policy is required when --section=credentialplugin");
  if (policy === "Allowlist") {
    if (allowlistEntries.length > 0) return;
    throw new Error("--allowlist-entry is required when --section=credentialplugin and --policy=Allowlist");
  }
  if (policy !== "AllowAll" && policy !== "DenyAll") {
    throw new Error(` --policy must be  "AllowAll", "DenyAll", or "Allowlist", got: ${policy}`);
  }
  if (allowlistEntries.length > 0) {
    throw new Error("--allowlist-entry may only be used when --section=credentialplugin and --policy=Allowlist");
  }
}

/** The fields to set. A policy without a list leaves the list that is there, as kubectl does. */
export function credentialPluginPreference({ policy, allowlistEntries }: PolicyOptions): StoredPreference {
  if (policy !== "Allowlist") return { credentialPluginPolicy: policy };
  return { credentialPluginPolicy: policy, credentialPluginAllowlist: parseEntries(allowlistEntries) };
}

/** @throws an AggregateError of everything that is wrong */
function parseEntries(texts: readonly string[]): readonly { readonly command: string }[] {
  const errors: Error[] = [];
  const entries: { readonly command: string }[] = [];
  for (const pair of texts.flatMap((text) => text.split(","))) {
    const fault = faultOf(pair);
    if (fault === undefined) entries.push({ command: pair.slice(pair.indexOf("=") + 1) });
    else errors.push(new Error(fault));
  }
  if (errors.length > 0) throw new AggregateError(errors);
  return entries;
}

function faultOf(pair: string): string | undefined {
  const equals = pair.indexOf("=");
  if (equals < 0) return `improperly formatted allowlist entry: ${goQuote(pair)}`;
  const field = pair.slice(0, equals);
  if (field === "name") return 'allowlist entry field "name" is deprecated, use "command" instead';
  if (field !== "command") return `unrecognized allowlist entry field: ${goQuote(field)}`;
  const isEmpty = pair.slice(equals + 1).trim() === "";
  return isEmpty ? `empty value in allowlist entry for field ${goQuote(field)}` : undefined;
}
