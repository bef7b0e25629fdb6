import { append } from "../../../base/collections/append.js";
import { invalidValue, required } from "../../../machinery/errors/field-error.js";
import { absent, list, object, objects, type Received, text } from "../../../machinery/meta/received.js";
import { dns1123SubdomainErrors, regexError } from "../../../machinery/validation/names.js";
import type { HostAlias, PodSpec } from "../../types/core/v1.js";
import { check, type Errors } from "../collect.js";
import { legacyIp } from "../service/ip-fields.js";

const LABEL = "_?[a-z0-9]([-_a-z0-9]*[a-z0-9])?";
const DOMAIN = `${LABEL}(\\.${LABEL})*`;
const searchDomain = new RegExp(`^${DOMAIN}$`);

export function validateDnsConfig(spec: Received<PodSpec>, path: string, errors: Errors): void {
  const config = object(spec.dnsConfig);
  const servers = list(config.nameservers);
  if (spec.dnsPolicy === "None") {
    if (absent(spec.dnsConfig)) {
      errors.push(required(path, "must provide `dnsConfig` when `dnsPolicy` is None"));
      return;
    }
    if (servers.length === 0) {
      const detail = "must provide at least one DNS nameserver when `dnsPolicy` is None";
      errors.push(required(`${path}.nameservers`, detail));
      return;
    }
  }
  if (absent(spec.dnsConfig)) return;
  if (servers.length > 3) {
    errors.push(invalidValue(`${path}.nameservers`, servers, "must not have more than 3 nameservers"));
  }
  for (const [index, server] of servers.entries()) {
    append(errors, legacyIp(text(server), `${path}.nameservers[${index}]`));
  }
  validateSearches(list(config.searches).map(text), `${path}.searches`, errors);
  for (const [index, option] of objects(config.options).entries()) {
    if (text(option.name) === "") errors.push(required(`${path}.options[${index}]`, "must not be empty"));
  }
}

function validateSearches(searches: readonly string[], path: string, errors: Errors): void {
  if (searches.length > 32) errors.push(invalidValue(path, searches, "must not have more than 32 search paths"));
  if (Buffer.byteLength(searches.join(" ")) > 2048) {
    const detail = "must not have more than 2048 characters (including spaces) in the search list";
    errors.push(invalidValue(path, searches, detail));
  }
  for (const [index, search] of searches.entries()) {
    if (search !== ".") check(search.replace(/\.$/, ""), `${path}[${index}]`, searchDomainErrors, errors);
  }
}

function searchDomainErrors(value: string): string[] {
  const errors = Buffer.byteLength(value) > 253 ? ["must be no more than 253 characters"] : [];
  if (searchDomain.test(value)) return errors;
  const message =
    "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '_', '-' or '.', and must start and end with an alphanumeric character";
  return [...errors, regexError(message, DOMAIN, "example.com")];
}

/** Validates the lines that are added to a pod's hosts file. */
export function validateHostAliases(aliases: readonly Received<HostAlias>[], path: string, errors: Errors): void {
  for (const [index, alias] of aliases.entries()) {
    append(errors, legacyIp(text(alias.ip), `${path}[${index}].ip`));
    for (const [host, name] of list(alias.hostnames).entries()) {
      check(text(name), `${path}[${index}].hostnames[${host}]`, dns1123SubdomainErrors, errors);
    }
  }
}
