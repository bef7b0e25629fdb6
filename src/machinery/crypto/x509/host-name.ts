import { NO_NAMES } from "../alternative-names.js";
import { SUBJECT_PART_TYPES } from "../certificate-request.js";
import { bytesOfAddress, textOfAddress } from "../../text/go/ip-address.js";
import type { Certificate } from "./certificate.js";
import { CertificateError } from "./certificate-error.js";

const MOST_NAMES_SHOWN = 100;

/** Throws a {@link CertificateError} for a certificate that is not for the host, which is a name or an IP address. */
export function checkHostName(certificate: Certificate, host: string): void {
  const { dns, ips } = certificate.extensions.alternativeNames ?? NO_NAMES;
  const address = bytesOfAddress(host.replace(/^\[(.*)]$/, "$1"));
  if (address !== undefined) {
    const text = textOfAddress(address);
    if (ips.includes(text)) return;
    throw new CertificateError(mismatch(certificate, host.replace(/^\[(.*)]$/, "$1")));
  }
  const name = host.toLowerCase();
  const isName = isHostName(name);
  if (dns.some((pattern) => (isName && isHostPattern(pattern) ? covers(pattern, name) : isSame(pattern, name)))) return;
  throw new CertificateError(mismatch(certificate, host));
}

function mismatch({ extensions, subjectAttributes }: Certificate, host: string): string {
  const common = subjectAttributes.findLast(({ type }) => type === SUBJECT_PART_TYPES.commonName)?.value ?? "";
  if (extensions.alternativeNamesValue === undefined && covers(common, host.toLowerCase())) {
    return "certificate relies on legacy Common Name field, use SANs instead";
  }
  const { dns, ips } = extensions.alternativeNames ?? NO_NAMES;
  const isAddress = bytesOfAddress(host) !== undefined;
  const names = isAddress ? ips : dns;
  if (isAddress && names.length === 0) {
    return `cannot validate certificate for ${host} because it doesn't contain any IP SANs`;
  }
  if (names.length >= MOST_NAMES_SHOWN) {
    return `certificate is valid for ${names.length} ${isAddress ? "IP SANs" : "names"}, but none matched ${host}`;
  }
  const shown = names.join(", ");
  if (shown === "") return `certificate is not valid for any names, but wanted to match ${host}`;
  return `certificate is valid for ${shown}, not ${host}`;
}

const LABEL = /^[a-z0-9_][a-z0-9_-]*$/i;

const isHostName = (host: string): boolean => host !== "*" && labelsOf(withoutDot(host)).every(isLabel);

/** A star may stand for the whole first label. A dot at the end makes it none. */
function isHostPattern(pattern: string): boolean {
  if (pattern === "*") return false;
  const [first = "", ...rest] = labelsOf(pattern);
  return (first === "*" || isLabel(first)) && rest.every(isLabel);
}

const labelsOf = (name: string): readonly string[] => name.split(".");
const isLabel = (label: string): boolean => LABEL.test(label);
const withoutDot = (host: string): string => (host.endsWith(".") ? host.slice(0, -1) : host);

function covers(pattern: string, name: string): boolean {
  const [wanted, given] = [labelsOf(withoutDot(pattern.toLowerCase())), labelsOf(withoutDot(name))];
  if (pattern === "" || name === "" || wanted.length !== given.length) return false;
  return wanted.every((label, index) => (index === 0 && label === "*") || label === given[index]);
}

function isSame(one: string, other: string): boolean {
  return one !== "" && one !== "." && one.toLowerCase() === other;
}
