import { X509Certificate } from "node:crypto";
import { type PemBlock, pemBlocks } from "../../../machinery/crypto/pem.js";
import { type FieldError, invalidValue, tooLong } from "../../../machinery/errors/field-error.js";
import { object, type ReceivedObject, text } from "../../../machinery/meta/received.js";
import { dns1123SubdomainErrors } from "../../../machinery/validation/names.js";
import { validateNames } from "../../../machinery/validation/object-meta.js";
import type { ClusterTrustBundle } from "../../types/certificates/v1beta1.js";
import { immutable } from "../rules.js";
import { validateSignerName } from "./signer-name.js";

const MAX_BYTES = 1024 * 1024;
const PATH = "spec.trustBundle";

/** Validates a bundle of CA certificates. The name must begin with the signer's, if the bundle has a signer. */
export function validateClusterTrustBundle(bundle: ReceivedObject<ClusterTrustBundle>): FieldError[] {
  return [...validateName(bundle), ...validateAnchors(text(object(bundle.spec).trustBundle))];
}

/** Validates an update of a bundle. Unchanged certificates are not parsed again. */
export function validateClusterTrustBundleUpdate(
  bundle: ReceivedObject<ClusterTrustBundle>,
  old: ReceivedObject<ClusterTrustBundle>,
): FieldError[] {
  const [spec, before] = [object(bundle.spec), object(old.spec)];
  const changed = text(spec.trustBundle) !== text(before.trustBundle);
  return [
    ...validateName(bundle),
    ...(changed ? validateAnchors(text(spec.trustBundle)) : []),
    ...immutable(text(spec.signerName), text(before.signerName), "spec.signerName"),
  ];
}

function validateName({ metadata = {}, spec }: ReceivedObject<ClusterTrustBundle>): FieldError[] {
  const signer = text(object(spec).signerName);
  const errors = (metadata.name ?? "") === "" ? [] : validateNames(metadata, nameRule(signer));
  return signer === "" ? errors : [...errors, ...validateSignerName(signer, "spec.signerName")];
}

function nameRule(signer: string): (name: string) => string[] {
  if (signer === "") {
    return (name) =>
      name.includes(":")
        ? ['ClusterTrustBundle without signer name must not have ":" in its name']
        : dns1123SubdomainErrors(name);
  }
  const prefix = `${signer.replaceAll("/", ":")}:`;
  return (name) =>
    name.startsWith(prefix)
      ? dns1123SubdomainErrors(name.slice(prefix.length))
      : [`ClusterTrustBundle for signerName ${signer} must be named with prefix ${prefix}`];
}

function validateAnchors(bundle: string): FieldError[] {
  if (Buffer.byteLength(bundle) > MAX_BYTES) return [tooLong(PATH, MAX_BYTES)];
  const refuse = (detail: string) => invalidValue(PATH, "<value omitted>", detail);
  const places = new Map<string, number[]>();
  const errors: FieldError[] = [];
  for (const [index, block] of [...pemBlocks(bundle)].entries()) {
    const problem = blockProblem(block);
    if (problem !== undefined) errors.push(refuse(`entry ${index} ${problem}`));
    const key = Buffer.from(block.bytes).toString("base64");
    places.set(key, [...(places.get(key) ?? []), index]);
  }
  if (errors.length > 0) return errors;
  if (places.size === 0) return [refuse("at least one trust anchor must be provided")];
  return [...places.values()]
    .filter((indexes) => indexes.length > 1)
    .map((indexes) => refuse(`duplicate trust anchor (indices [${indexes.join(" ")}])`));
}

function blockProblem({ type, bytes, hasHeaders }: PemBlock): string | undefined {
  if (type !== "CERTIFICATE") return `has bad block type: ${type}`;
  if (hasHeaders) return "has PEM block headers";
  try {
    return new X509Certificate(bytes).ca ? undefined : "does not have the CA bit set";
  } catch {
    return "does not parse as X.509";
  }
}
