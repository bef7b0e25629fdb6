import type { pluginOptions } from "../../component/apiserver-flags/admission.js";
import type { OptionsOf } from "../../component/option-group.js";
import { append } from "../../base/collections/append.js";
import { aggregateText } from "../../machinery/errors/aggregate-text.js";
import { errorMessage } from "../../base/text/error-message.js";
import { goQuote } from "../../base/text/go-quote.js";
import { admissionFailure, PluginInitializationError } from "./configuration/admission-configuration.js";
import { guarded } from "./guarded-plugin.js";
import type { AdmissionInitialization, AdmissionPlugin } from "./plugin.js";
import { ADMISSION_PLUGINS, type AdmissionConfiguration, type AdmissionRow, type PluginDocument } from "./table.js";

/** The admission plugins that a server runs. The order of these lists does not matter: each plugin has its place. */
export interface AdmissionOptions extends OptionsOf<typeof pluginOptions> {
  /** Plugins to run besides Kubernetes' own. */
  readonly plugins?: readonly OwnAdmissionPlugin[];
  readonly configuration?: AdmissionConfiguration;
}

/** The place of a plugin: before or after the plugin of that name. Default: before MutatingAdmissionWebhook. */
export interface OwnAdmissionPlugin {
  readonly plugin: AdmissionPlugin;
  readonly before?: string;
  readonly after?: string;
  /**
   * Takes what an AdmissionConfiguration file has for the plugin. Called once, before the server starts, and not for a plugin without such
   * a configuration. The server does not start when it throws. Left out: a configuration for the plugin is refused.
   */
  readonly configure?: (document: PluginDocument) => void | Promise<void>;
  /**
   * Gives the plugin clients, informers and the authorizers. Called once, after {@link configure} and before the server starts, which does not
   * happen when it throws. Its informers are empty then: a plugin that needs their objects asks them `hasSynced()` at each request.
   */
  readonly initialize?: (given: AdmissionInitialization) => void | Promise<void>;
}

const DEFAULT_PLACE = "MutatingAdmissionWebhook";

interface Step {
  readonly name: string;
  readonly enabled: boolean;
  /** Called only for a plugin that runs. */
  readonly make: () => AdmissionPlugin;
}

/** The enabled plugins in running order. Throws an Error that names the fault in the options. */
export function enabledPlugins(options: AdmissionOptions): readonly AdmissionPlugin[] {
  const { plugins = [], enable = [], disable = [], configuration = {} } = options;
  const steps: Step[] = ADMISSION_PLUGINS.map(({ name, enabled, plugin }) => ({
    name,
    enabled,
    make: () => made(name, plugin, configuration),
  }));
  const problems: string[] = [...configurationProblems(configuration)];
  for (const own of plugins) append(problems, place(own, steps));
  append(problems, nameProblems(steps, enable, disable));
  if (problems.length > 0) throw new Error(aggregateText(problems));
  return steps.filter((step) => runs(step, options)).map(({ make }) => make());
}

/** The names of Kubernetes' own plugins that the options enable. */
export const enabledPluginNames = (options: AdmissionOptions): readonly string[] =>
  ADMISSION_PLUGINS.filter((row) => runs(row, options)).map(({ name }) => name);

/** The enabled plugins that the user supplied. */
export const enabledOwnPlugins = (options: AdmissionOptions): readonly OwnAdmissionPlugin[] =>
  (options.plugins ?? []).filter(({ plugin: { name } }) => runs({ name, enabled: true }, options));

const runs = ({ name, enabled }: Pick<Step, "name" | "enabled">, { enable, disable }: AdmissionOptions): boolean =>
  enable?.includes(name) === true || (enabled && disable?.includes(name) !== true);

function made(
  name: string,
  make: (configuration: AdmissionConfiguration) => AdmissionPlugin,
  configuration: AdmissionConfiguration,
): AdmissionPlugin {
  try {
    return make(configuration);
  } catch (error) {
    const failed = error instanceof PluginInitializationError ? "failed to initialize" : "couldn't init";
    const reason = errorMessage(error);
    throw admissionFailure(`${failed} admission plugin ${goQuote(name)}: ${reason}`);
  }
}

/** Puts a plugin of the options among the steps. Returns what is wrong with it. */
function place({ plugin, before, after }: OwnAdmissionPlugin, steps: Step[]): string[] {
  const { name } = plugin;
  const named = `admission plugin ${goQuote(name)}`;
  if (steps.some((step) => step.name === name)) return [`${named} has the name of another admission plugin`];
  if (before !== undefined && after !== undefined)
    return [`${named} cannot have both before and after; give one of them`];
  const neighbour = before ?? after ?? DEFAULT_PLACE;
  const index = steps.findIndex((step) => step.name === neighbour);
  if (index < 0)
    return [
      `${named} should run ${after === undefined ? "before" : "after"} ${goQuote(neighbour)}, and there is no such plugin`,
    ];
  steps.splice(after === undefined ? index : index + 1, 0, { name, enabled: true, make: () => guarded(plugin) });
  return [];
}

/** In kube-apiserver's words where it has them. */
function nameProblems(steps: readonly Step[], enable: readonly string[], disable: readonly string[]): string[] {
  const known = new Set(steps.map(({ name }) => name));
  const problems: string[] = [];
  for (const [flag, names] of [
    ["enable-admission-plugins", enable],
    ["disable-admission-plugins", disable],
  ] as const) {
    const unknown = names.filter((name) => !known.has(name));
    append(
      problems,
      unknown.map((name) => `${flag} plugin ${goQuote(name)} is unknown`),
    );
  }
  const both = [...new Set(enable)].filter((name) => disable.includes(name)).toSorted();
  if (both.length > 0) {
    problems.push(`[${both.join(" ")}] in enable-admission-plugins and disable-admission-plugins overlapped`);
  }
  return problems;
}

function configurationProblems(configuration: AdmissionConfiguration): string[] {
  return Object.entries(configuration).flatMap(([name, fields]) => {
    const row = ADMISSION_PLUGINS.find((candidate) => candidate.name === name);
    return row === undefined ? [`configuration of plugin ${goQuote(name)}: it is unknown`] : fieldProblems(row, fields);
  });
}

function fieldProblems({ name, configuration }: AdmissionRow, fields: object): string[] {
  if (configuration === undefined) return [`configuration of plugin ${goQuote(name)}: it has none`];
  const unknown = Object.keys(fields).filter((field) => !configuration.includes(field));
  return unknown.map((field) => `configuration of plugin ${goQuote(name)}: field ${goQuote(field)} is unknown`);
}
