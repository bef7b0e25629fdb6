import { errorMessage } from "../../../base/text/error-message.js";
import { aggregateText } from "../../../machinery/errors/aggregate-text.js";
import { formatFieldErrors } from "../../../machinery/errors/field-error.js";
import type { AuthorizationConfiguration } from "./configuration.js";
import { decodeConfiguration } from "./decode-configuration.js";
import { configurationFaults } from "./validate-configuration.js";

/**
 * The configuration in a file's bytes. Throws an Error that says, in kube-apiserver's words, what is wrong: that the file cannot be
 * decoded, or which fields cannot be right, or which types of `requiredTypes` are missing.
 */
export function loadConfiguration(
  bytes: Uint8Array,
  requiredTypes: ReadonlySet<string> = new Set(),
): AuthorizationConfiguration {
  const configuration = decoded(bytes);
  const faults = configurationFaults(configuration);
  if (faults.length > 0) throw new Error(formatFieldErrors(faults));
  const errors = [...nameErrors(configuration), ...missingErrors(configuration, requiredTypes)];
  if (errors.length > 0) throw new Error(aggregateText(errors));
  return configuration;
}

/** The types of authorizers that there can be one of, which a reload may not take away or add. */
export const fixedTypesOf = ({ authorizers }: AuthorizationConfiguration): ReadonlySet<string> =>
  new Set(authorizers.map(({ type }) => type).filter((type) => type !== "Webhook"));

function decoded(bytes: Uint8Array): AuthorizationConfiguration {
  try {
    return decodeConfiguration(bytes);
  } catch (error) {
    const why = errorMessage(error);
    throw new Error(`failed to load AuthorizationConfiguration from file: ${why}`, { cause: error });
  }
}

/** All but webhooks have the name of their type. */
const nameErrors = ({ authorizers }: AuthorizationConfiguration): string[] =>
  authorizers
    .filter(({ type, name }) => type !== "Webhook" && name !== type.toLowerCase())
    .map(({ type, name }) => `expected name ${type.toLowerCase()} for authorizer ${type} instead of ${name}`);

function missingErrors(configuration: AuthorizationConfiguration, requiredTypes: ReadonlySet<string>): string[] {
  const present = fixedTypesOf(configuration);
  const missing = [...requiredTypes].filter((type) => !present.has(type)).sort();
  return missing.length === 0 ? [] : [`missing required types: [${missing.join(" ")}]`];
}
