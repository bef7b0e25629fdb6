import type { CertificateSigningRequestStatus } from "../../api/types/certificates/v1.js";
import { humanDuration } from "../../machinery/text/duration/human-duration.js";
import { type CertificateRequest, parseCertificateRequest } from "../../machinery/crypto/certificate-request.js";
import { sprintf } from "../../machinery/text/gotemplate/sprintf.js";
import { absent, number, object, objects, type Received, text } from "../../machinery/meta/received.js";
import { dateText } from "./dates.js";
import type { Describer } from "./describer.js";
import type { Description } from "./description.js";
import { describeEvents, eventsOf } from "./events.js";
import { describeName, formatLabels } from "./labels.js";

export const describeCertificateSigningRequest: Describer = async (_namespace, name, description, context) => {
  const request = await context.reader.get("certificates.k8s.io/v1/CertificateSigningRequest", "", name);
  const events = await eventsOf(request, "CertificateSigningRequest", context);
  const metadata = object(request.metadata);
  const spec = object(request.spec);
  const asked = requestIn(text(spec.request));
  describeName(description, request, false);
  description.write(0, `Labels:\t${formatLabels(metadata.labels)}\n`);
  description.write(0, `Annotations:\t${formatLabels(metadata.annotations)}\n`);
  description.write(0, `CreationTimestamp:\t${dateText(metadata.creationTimestamp)}\n`);
  description.write(0, `Requesting User:\t${text(spec.username)}\n`);
  if (text(spec.signerName) !== "") description.write(0, `Signer:\t${text(spec.signerName)}\n`);
  if (!absent(spec.expirationSeconds)) {
    description.write(0, `Requested Duration:\t${humanDuration(number(spec.expirationSeconds) * 1000)}\n`);
  }
  description.write(0, `Status:\t${statusText(object(request.status))}\n`);
  describeSubject(description, asked);
  describeAlternativeNames(description, asked);
  describeEvents(description, events, context);
};

/** `encoded` is base64 of PEM. */
function requestIn(encoded: string): CertificateRequest {
  try {
    return parseCertificateRequest(atob(encoded));
  } catch (error) {
    throw new Error(`Error parsing CSR: ${(error as Error).message}`);
  }
}

/** "Approved,Issued": what was decided, and what came of it. */
function statusText({ conditions, certificate }: Received<CertificateSigningRequestStatus>): string {
  const types = new Set(objects(conditions).map(({ type }) => type));
  const decided = types.has("Denied") ? "Denied" : types.has("Approved") ? "Approved" : "Pending";
  return `${decided}${types.has("Failed") ? ",Failed" : ""}${text(certificate) === "" ? "" : ",Issued"}`;
}

function describeSubject(description: Description, { subject }: CertificateRequest): void {
  description.write(0, "Subject:\n");
  description.write(0, `\tCommon Name:\t${subject.commonName?.at(-1) ?? ""}\n`);
  description.write(0, `\tSerial Number:\t${subject.serialNumber?.at(-1) ?? ""}\n`);
  describeValues(description, "Organization", subject.organization);
  describeValues(description, "Organizational Unit", subject.organizationalUnit);
  describeValues(description, "Country", subject.country);
  describeValues(description, "Locality", subject.locality);
  describeValues(description, "Province", subject.province);
  describeValues(description, "StreetAddress", subject.streetAddress);
  describeValues(description, "PostalCode", subject.postalCode);
}

function describeAlternativeNames(description: Description, { alternativeNames }: CertificateRequest): void {
  const { dns, emails, uris, ips } = alternativeNames;
  if (dns.length + emails.length + uris.length + ips.length === 0) return;
  description.write(0, "Subject Alternative Names:\n");
  describeValues(description, "DNS Names", dns);
  describeValues(description, "Email Addresses", emails);
  describeValues(description, "URIs", uris);
  describeValues(description, "IP Addresses", ips);
}

/** A value on each line; nothing without any. kubectl takes the values for a format, so percent signs show as Go prints them. */
function describeValues(description: Description, title: string, values: readonly string[] = []): void {
  if (values.length > 0) description.write(0, `\t${title}:\t${sprintf(values.join("\n\t\t"), [])}\n`);
}
