import type { admissionOptions } from "../../component/apiserver-flags/admission.js";
import type { OptionsOf } from "../../component/option-group.js";
import { dirname, isAbsolute, join } from "node:path";
import { type ServerGates, serverGates } from "../../api/gates/feature-gates.js";
import { errorMessage } from "../../base/text/error-message.js";
import { goQuote } from "../../base/text/go-quote.js";
import { readText } from "../../base/files/read-file.js";
import { DEFAULT_VERSION } from "../../machinery/served-versions.js";
import { encodeJson } from "../../machinery/wire/json/json-encoder.js";
import type { ConfigurationDocument } from "../../machinery/wire/configuration-document.js";
import {
  decodeAdmissionConfiguration,
  type PluginEntry,
  admissionFailure,
} from "../../server/admission/configuration/admission-configuration.js";
import {
  type AdmissionOptions,
  enabledOwnPlugins,
  enabledPluginNames,
} from "../../server/admission/enabled-plugins.js";
import { ADMISSION_PLUGINS, type AdmissionConfiguration } from "../../server/admission/table.js";

/** {@link AdmissionOptions} of a server that may read files. */
export type FileAdmissionOptions = AdmissionOptions & OptionsOf<typeof admissionOptions>;

/**
 * Reads the options together with their file, for a server with the given feature gates. Throws in kube-apiserver's words, with
 * the name of the file.
 */
export async function readAdmissionOptions(
  options: FileAdmissionOptions,
  gates: ServerGates = serverGates(DEFAULT_VERSION),
): Promise<AdmissionOptions> {
  const { configurationFile: file, ...rest } = options;
  if (file === undefined) return rest;
  const entries = await entriesOf(file);
  const enabled = enabledPluginNames(rest);
  let configuration: AdmissionConfiguration = { ...rest.configuration };
  for (const { name, readConfiguration } of ADMISSION_PLUGINS) {
    const entry = entries.get(name);
    if (entry === undefined || !enabled.includes(name)) continue;
    const { document, place } = await documentOf(entry, file);
    if (Object.hasOwn(configuration, name)) {
      throw admissionFailure(
        `the configuration of admission plugin ${goQuote(name)} is in the options and in ${place}`,
      );
    }
    const read = await orRefused(name, place, async () =>
      readConfiguration?.({ ...(await parsed(document)), readFile: readText }, gates),
    );
    configuration = { ...configuration, ...read };
  }
  for (const { plugin, configure } of enabledOwnPlugins(rest)) {
    const entry = entries.get(plugin.name);
    if (entry === undefined) continue;
    const { document, place } = await documentOf(entry, file);
    await orRefused(plugin.name, place, async () => {
      if (configure === undefined) throw new Error("the plugin takes no configuration: it has no function configure");
      await configure({ ...(await parsed(document)), readFile: readText });
    });
  }
  return { ...rest, configuration };
}

/** What a plugin makes of its configuration, or its error with the plugin's name and where the configuration is. */
async function orRefused<T>(name: string, place: string, read: () => Promise<T>): Promise<T> {
  try {
    return await read();
  } catch (error) {
    throw admissionFailure(`couldn't init admission plugin ${goQuote(name)}: ${errorMessage(error)} (in ${place})`);
  }
}

async function entriesOf(file: string): Promise<ReadonlyMap<string, PluginEntry>> {
  const failed = (message: string): Error => admissionFailure(`failed to read plugin config: ${message}`);
  let text: string;
  try {
    text = await readText(file);
  } catch (error) {
    throw failed(`unable to read admission control configuration from ${goQuote(file)} [${errorMessage(error)}]`);
  }
  try {
    return decodeAdmissionConfiguration(await parsed(text));
  } catch (error) {
    throw failed(`${errorMessage(error)} (in ${goQuote(file)})`);
  }
}

/** The text of a plugin's configuration, and where it is. */
async function documentOf(
  { name, path = "", configuration }: PluginEntry,
  file: string,
): Promise<{ readonly document: string; readonly place: string }> {
  if (configuration !== undefined || path === "") {
    return { document: configuration === undefined ? "" : encodeJson(configuration), place: goQuote(file) };
  }
  const absolute = isAbsolute(path) ? path : join(dirname(file), path);
  try {
    return { document: await readText(absolute), place: goQuote(absolute) };
  } catch (error) {
    const problem = `Couldn't open admission plugin configuration ${absolute}: ${errorMessage(error)}`;
    throw admissionFailure(`${problem} (plugin ${goQuote(name)} of ${goQuote(file)})`);
  }
}

/** YAML is read by few servers. */
async function parsed(text: string): Promise<ConfigurationDocument> {
  const { readConfigurationDocument } = await import("../../machinery/text/yaml/configuration-document.js");
  return readConfigurationDocument(text);
}
