import { decodeConfigurationStrictly } from "../../../machinery/wire/configuration-document.js";
import { readConfigurationDocument } from "../../../machinery/text/yaml/configuration-document.js";
import { AUTHENTICATION_CONFIGURATION, type AuthenticationConfiguration } from "./authentication-configuration.js";

/**
 * Reads the text of a configuration file, strictly: unknown fields and repeated keys are errors. Throws an Error in kube-apiserver's
 * words; what the fields say is not checked yet.
 */
export function decodeAuthenticationConfiguration(text: string): AuthenticationConfiguration {
  if (text === "") throw new Error("empty config data");
  return decodeConfigurationStrictly<AuthenticationConfiguration>(
    readConfigurationDocument(text),
    AUTHENTICATION_CONFIGURATION,
  ).object;
}
