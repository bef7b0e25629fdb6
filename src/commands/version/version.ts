import { withMistyped } from "../../base/text/mistyped.js";
import { goPlatform, kubernetesRelease, kustomizeVersion } from "../../cli/connect/client-version.js";
import type { Command, Invocation } from "../../cli/command.js";
import type { Factory, Streams } from "../../cli/connect/factory.js";
import type { Look } from "../../printers/look.js";

export interface VersionOptions {
  readonly output: "" | "json" | "yaml";
  readonly warningsAsErrors: boolean;
  readonly platform: string;
  readonly look: Look;
  /** Asks the server; absent with --client. */
  readonly serverVersion?: () => Promise<Readonly<Record<string, string>>>;
}

export function versionCommand(run = runVersion): Command {
  return {
    use: "version [flags]",
    description: "Print the version of this client and of the server of the current context.",
    examples: `# Print both versions
{{program}} version

# Print the client's alone, without asking a server
{{program}} version --client`,
    flags: [
      { name: "client", type: "bool", usage: "Print the client's version only; no server is asked" },
      { name: "output", short: "o", type: "string", usage: "One of 'yaml' or 'json'" },
    ],
    outputMustArrive: false,
    execute: async (factory, invocation) => run(await complete(factory, invocation), factory.streams),
  };
}

async function complete(factory: Factory, { args, flags }: Invocation): Promise<VersionOptions> {
  const output = flags.string("output");
  const client = flags.bool("client");
  const discovery = client ? undefined : await factory.discovery();
  // Operands are a mistake only where kubectl looks at them: with --client it never does.
  if (!client && args.length > 0) throw new Error(`extra arguments: [${args.join(" ")}]`);
  if (output !== "" && output !== "json" && output !== "yaml") {
    const error = new Error("--output must be 'yaml' or 'json'");
    throw withMistyped(error, () => ({ typed: output, known: ["json", "yaml"] }));
  }
  return {
    output,
    warningsAsErrors: flags.bool("warnings-as-errors"),
    platform: goPlatform(factory.platform, factory.arch),
    look: factory.look,
    ...(discovery !== undefined && { serverVersion: () => discovery.serverVersion() }),
  };
}

/** Prints what is known even if the server does not answer, and throws the server's error afterwards. */
export async function runVersion(options: VersionOptions, streams: Streams): Promise<void> {
  const server = await settle(options.serverVersion);
  const own = options.output === "" && streams.out.isTTY === true ? await ownLine() : "";
  streams.out.write(own + (await render(options, server.value)));
  if (server.value !== undefined) {
    const warning = versionSkewWarning(kubernetesRelease.gitVersion, server.value["gitVersion"] ?? "");
    if (warning !== undefined && options.warningsAsErrors) throw new Error(warning);
    if (warning !== undefined) streams.err.write(`Warning: ${warning}\n`);
  }
  if (server.failed) throw server.error;
}

/** Loaded on a terminal alone. */
const ownLine = async (): Promise<string> => `${(await import("../../cli/own-version.js")).ownVersionLine()}\n`;

type Answer = Readonly<Record<string, string>> | undefined;

async function settle(
  ask: VersionOptions["serverVersion"],
): Promise<{ readonly value?: Answer; readonly failed: boolean; readonly error?: unknown }> {
  try {
    return { value: await ask?.(), failed: false };
  } catch (error) {
    return { failed: true, error };
  }
}

async function render({ output, platform, look: { paint } }: VersionOptions, server: Answer): Promise<string> {
  if (output === "") {
    const serverLine = server === undefined ? "" : `Server Version: ${server["gitVersion"] ?? ""}\n`;
    return `Client Version: ${kubernetesRelease.gitVersion}\nKustomize Version: ${kustomizeVersion}\n${serverLine}`;
  }
  const versions = {
    clientVersion: { ...kubernetesRelease, platform },
    kustomizeVersion,
    ...(server !== undefined && { serverVersion: inGoOrder(server) }),
  };
  if (output === "json") {
    const text = JSON.stringify(versions, null, 2);
    return `${paint?.json(text) ?? text}\n`;
  }
  const { emitYaml } = await import("../../machinery/text/yaml/emit.js");
  const text = emitYaml(versions);
  return `${paint?.yaml(text) ?? text}\n`;
}

const FIELDS = [
  "major",
  "minor",
  "emulationMajor",
  "emulationMinor",
  "minCompatibilityMajor",
  "minCompatibilityMinor",
  "gitVersion",
  "gitCommit",
  "gitTreeState",
  "buildDate",
  "goVersion",
  "compiler",
  "platform",
];

/** version.Info's fields in its own order; the emulation and compatibility ones are left out when empty. */
function inGoOrder(server: Readonly<Record<string, string>>): Record<string, string> {
  const optional = /^(emulation|minCompat)/;
  return Object.fromEntries(
    FIELDS.map((field) => [field, server[field] ?? ""] as const).filter(
      ([field, value]) => value !== "" || !optional.test(field),
    ),
  );
}

const SUPPORTED_SKEW = 1;

/**
 * kubectl's warning when the versions of client and server differ by more than is supported; undefined otherwise.
 * @throws when a version is not semantic
 */
export function versionSkewWarning(client: string, server: string): string | undefined {
  const [clientMajor, clientMinor] = parse("client", client);
  const [serverMajor, serverMinor] = parse("server", server);
  if (clientMajor === serverMajor && Math.abs(clientMinor - serverMinor) <= SUPPORTED_SKEW) return undefined;
  return `version difference between client (${clientMajor}.${clientMinor}) and server (${serverMajor}.${serverMinor}) exceeds the supported minor version skew of +/-${SUPPORTED_SKEW}`;
}

function parse(side: string, version: string): readonly [major: number, minor: number] {
  const match = /^\s*v?(\d+)\.(\d+)\.\d+([-+].*)?\s*$/.exec(version);
  if (match === null) throw new Error(`${side} version error: could not parse "${version}" as version`);
  return [Number(match[1]), Number(match[2])];
}
