import { type FieldError, invalidValue, required } from "../errors/field-error.js";

/** Validates a name and returns apimachinery's messages; an empty list for a valid one. Lengths are in bytes. */
export type NameRule = (value: string) => string[];

const DNS1123_LABEL = "[a-z0-9]([-a-z0-9]*[a-z0-9])?";
const DNS1123_SUBDOMAIN = `${DNS1123_LABEL}(\\.${DNS1123_LABEL})*`;
const DNS1035_LABEL = "[a-z]([-a-z0-9]*[a-z0-9])?";
const LABEL_KEY = "([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]";
const LABEL_VALUE = `(${LABEL_KEY})?`;
const WILDCARD_SUBDOMAIN = `\\*\\.${DNS1123_SUBDOMAIN}`;
const C_IDENTIFIER = "[A-Za-z_][A-Za-z0-9_]*";
const CONFIG_MAP_KEY = "[-._a-zA-Z0-9]+";
const PERCENT = "[0-9]+%";
const HTTP_HEADER = "[-A-Za-z0-9]+";

const dns1123Label = whole(DNS1123_LABEL);
const dns1123Subdomain = whole(DNS1123_SUBDOMAIN);
const dns1035Label = whole(DNS1035_LABEL);
const labelKey = whole(LABEL_KEY);
const labelValue = whole(LABEL_VALUE);
const wildcardSubdomain = whole(WILDCARD_SUBDOMAIN);
const cIdentifier = whole(C_IDENTIFIER);
const configMapKey = whole(CONFIG_MAP_KEY);
const percent = whole(PERCENT);
const httpHeader = whole(HTTP_HEADER);

const QUALIFIED_NAME = regexError(
  "must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character",
  LABEL_KEY,
  "MyName",
  "my.name",
  "123-abc",
);

export function dns1123LabelErrors(value: string): string[] {
  const errors = tooLongInCharacters(value, 63);
  if (dns1123Label.test(value)) return errors;
  if (dns1123Subdomain.test(value)) return [...errors, "must not contain dots"];
  const text =
    "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character";
  return [...errors, regexError(text, DNS1123_LABEL, "my-name", "123-abc")];
}

export function dns1123SubdomainErrors(value: string): string[] {
  const errors = tooLongInCharacters(value, 253);
  if (!dns1123Subdomain.test(value)) errors.push(subdomainError());
  return errors;
}

/** Validates a domain name that needs at least two labels and may end in a dot: apimachinery's IsFullyQualifiedDomainName. */
export function fullyQualifiedDomainErrors(value: string, path: string): FieldError[] {
  if (value === "") return [required(path)];
  const name = value.replace(/\.$/, "");
  const wrong = dns1123SubdomainErrors(name);
  if (wrong.length > 0) return [invalidValue(path, name, wrong.join(","))];
  const labels = name.split(".");
  if (labels.length < 2) {
    return [invalidValue(path, name, "should be a domain with at least two segments separated by dots")];
  }
  const bad = labels.find((label) => dns1123LabelErrors(label).length > 0);
  return bad === undefined ? [] : [invalidValue(path, bad, dns1123LabelErrors(bad).join(","))];
}

export function dns1035LabelErrors(value: string): string[] {
  const errors = tooLongInCharacters(value, 63);
  if (!dns1035Label.test(value)) {
    const text =
      "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character";
    errors.push(regexError(text, DNS1035_LABEL, "my-name", "abc-123"));
  }
  return errors;
}

export function wildcardSubdomainErrors(value: string): string[] {
  const errors = tooLongInCharacters(value, 253);
  if (!wildcardSubdomain.test(value)) {
    const text =
      "a wildcard DNS-1123 subdomain must start with '*.', followed by a valid DNS subdomain, which must consist of lower case alphanumeric characters, '-' or '.' and end with an alphanumeric character";
    errors.push(regexError(text, WILDCARD_SUBDOMAIN, "*.example.com"));
  }
  return errors;
}

/** What nearly every key without a prefix and every value of a label is. */
const PLAIN_LABEL = /^[A-Za-z0-9](?:[-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?$/;

/** Validates a label's key; also a finalizer, a resource name and an annotation's key in lower case. */
export function qualifiedNameErrors(value: string): string[] {
  if (PLAIN_LABEL.test(value)) return [];
  const parts = value.split("/");
  if (parts.length > 2) {
    return [
      `a valid label key ${QUALIFIED_NAME} with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')`,
    ];
  }
  const errors: string[] = [];
  const [prefix, name] = parts.length === 2 ? [parts[0] ?? "", parts[1] ?? ""] : [undefined, value];
  if (prefix === "") errors.push("prefix part must be non-empty");
  else if (prefix !== undefined) {
    if (bytes(prefix) > 253) errors.push("prefix part must be no more than 253 bytes");
    if (!dns1123Subdomain.test(prefix)) errors.push(`prefix part ${subdomainError()}`);
  }
  if (name === "") errors.push("name part must be non-empty");
  else if (bytes(name) > 63) errors.push("name part must be no more than 63 bytes");
  if (!labelKey.test(name)) errors.push(`name part ${QUALIFIED_NAME}`);
  return errors;
}

export function labelValueErrors(value: string): string[] {
  if (PLAIN_LABEL.test(value)) return [];
  const errors = bytes(value) > 63 ? ["must be no more than 63 bytes"] : [];
  if (!labelValue.test(value)) {
    const text =
      "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character";
    errors.push(regexError(text, LABEL_VALUE, "MyValue", "my_value", "12345"));
  }
  return errors;
}

/** Validates a key in the data of a ConfigMap or Secret. */
export function configMapKeyErrors(value: string): string[] {
  const errors = tooLongInCharacters(value, 253);
  if (!configMapKey.test(value)) {
    const text = "a valid config key must consist of alphanumeric characters, '-', '_' or '.'";
    errors.push(regexError(text, CONFIG_MAP_KEY, "key.name", "KEY_NAME", "key-name"));
  }
  if (value === "." || value === "..") errors.push(`must not be '${value}'`);
  else if (value.startsWith("..")) errors.push("must not start with '..'");
  return errors;
}

/** Validates the name of an environment variable: printable ASCII without "=". */
export function envVarNameErrors(value: string): string[] {
  const errors = value === "" ? ["environment variable name must be non-empty"] : [];
  if (!/^[\x20-\x3c\x3e-\x7e]*$/.test(value)) {
    errors.push("a valid environment variable name must consist only of printable ASCII characters other than '='");
  }
  return errors;
}

/** Validates the stricter names that kubectl accepts on its command line and in env files. */
export function strictEnvVarNameErrors(value: string): string[] {
  const errors: string[] = [];
  if (!/^[-._a-zA-Z][-._a-zA-Z0-9]*$/.test(value)) {
    const text =
      "a valid environment variable name must consist of alphabetic characters, digits, '_', '-', or '.', and must not start with a digit";
    errors.push(regexError(text, "[-._a-zA-Z][-._a-zA-Z0-9]*", "my.env-name", "MY_ENV.NAME", "MyEnvName1"));
  }
  if (value === "." || value === "..") errors.push(`must not be '${value}'`);
  else if (value.startsWith("..")) errors.push("must not start with '..'");
  return errors;
}

export function cIdentifierErrors(value: string): string[] {
  if (cIdentifier.test(value)) return [];
  const text =
    "a valid C identifier must start with alphabetic character or '_', followed by a string of alphanumeric characters or '_'";
  return [regexError(text, C_IDENTIFIER, "my_name", "MY_NAME", "MyName")];
}

/** Turns a rule for names into one for name prefixes: these may end in a dash, because a suffix follows. */
export function prefixOf(rule: NameRule): NameRule {
  return (value) => rule(value.length > 1 && value.endsWith("-") ? `${value.slice(0, -2)}a` : value);
}

/** Validates an IANA service name, as the port of a container or a service has it. */
export function portNameErrors(value: string): string[] {
  const errors = tooLongInCharacters(value, 15);
  if (!/^[-a-z0-9]+$/.test(value)) {
    errors.push("must contain only alpha-numeric characters (a-z, 0-9), and hyphens (-)");
  }
  if (!/[a-z]/.test(value)) errors.push("must contain at least one letter (a-z)");
  if (value.includes("--")) errors.push("must not contain consecutive hyphens");
  if (value.startsWith("-") || value.endsWith("-")) errors.push("must not begin or end with a hyphen");
  return errors;
}

export function portNumberErrors(port: number): string[] {
  return rangeErrors(port, 1, 65535);
}

export function rangeErrors(value: number, low: number, high: number): string[] {
  return value >= low && value <= high ? [] : [`must be between ${low} and ${high}, inclusive`];
}

export function percentErrors(value: string): string[] {
  if (percent.test(value)) return [];
  return [
    regexError("a valid percent string must be a numeric string followed by an ending '%'", PERCENT, "1%", "93%"),
  ];
}

export function httpHeaderNameErrors(value: string): string[] {
  if (httpHeader.test(value)) return [];
  return [
    regexError("a valid HTTP header must consist of alphanumeric characters or '-'", HTTP_HEADER, "X-Header-Name"),
  ];
}

/** Validates a name that becomes a segment of a URL's path; RBAC objects have no other rule for names. */
export function pathSegmentErrors(value: string): string[] {
  if (value === "." || value === "..") return [`may not be '${value}'`];
  return ["/", "%"].filter((illegal) => value.includes(illegal)).map((illegal) => `may not contain '${illegal}'`);
}

/** Formats `message (e.g. 'a', or 'b', regex used for validation is '...')`: the odd commas are Kubernetes'. */
export function regexError(message: string, regex: string, ...examples: readonly string[]): string {
  if (examples.length === 0) return `${message} (regex used for validation is '${regex}')`;
  const shown = examples.map((example) => `'${example}', `).join(" or ");
  return `${message} (e.g. ${shown}regex used for validation is '${regex}')`;
}

function subdomainError(): string {
  const text =
    "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character";
  return regexError(text, DNS1123_SUBDOMAIN, "example.com");
}

function tooLongInCharacters(value: string, max: number): string[] {
  return bytes(value) > max ? [`must be no more than ${max} characters`] : [];
}

function bytes(value: string): number {
  return Buffer.byteLength(value);
}

function whole(pattern: string): RegExp {
  return new RegExp(`^${pattern}$`);
}

const HTTP_PATH = "[A-Za-z0-9/\\-._~%!$&'()*+,;=:]+";
const httpPath = new RegExp(`^${HTTP_PATH}$`);

/** Validates a text like "acme.io/foo". */
export function domainPrefixedPathErrors(value: string, path: string): FieldError[] {
  const slash = value.indexOf("/");
  const [host, rest] = [value.slice(0, Math.max(slash, 0)), value.slice(slash + 1)];
  if (slash < 0 || host === "" || rest === "") {
    return [invalidValue(path, value, 'must be a domain-prefixed path (such as "acme.io/foo")')];
  }
  const errors = dns1123SubdomainErrors(host).map((problem) => invalidValue(path, host, problem));
  if (!httpPath.test(rest)) errors.push(invalidValue(path, rest, regexError("Invalid path", HTTP_PATH)));
  return errors;
}
