import { X509Certificate } from "node:crypto";
import { type PemBlock, pemBlocks } from "../../../machinery/crypto/pem.js";
import { type FieldError, invalidValue, tooLong } from "../../../machinery/errors/field-error.js";
import { object, text } from "../../../machinery/meta/access.js";
import type { KubeObject } from "../../../machinery/meta/object.js";
import { dns1123SubdomainErrors } from "../../../machinery/validation/names.js";
import { validateNames } from "../../../machinery/validation/object-meta.js";
import { immutable } from "../rules.js";
import { validateSignerName } from "./signer-name.js";

const MAX_BYTES = 1024 * 1024;
const PATH = "spec.trustBundle";

/** Certificates of authorities, of one signer or of none. The name says whose they are. */
export function validateClusterTrustBundle(bundle: KubeObject): FieldError[] {
  return [...validateName(bundle), ...validateAnchors(text(object(bundle.spec).trustBundle))];
}

/** Certificates that did not change are not read again. */
export function validateClusterTrustBundleUpdate(bundle: KubeObject, old: KubeObject): FieldError[] {
  const [spec, before] = [object(bundle.spec), object(old.spec)];
  const changed = text(spec.trustBundle) !== text(before.trustBundle);
  return [
    ...validateName(bundle),
    ...(changed ? validateAnchors(text(spec.trustBundle)) : []),
    ...immutable(text(spec.signerName), text(before.signerName), "spec.signerName"),
  ];
}

function validateName({ metadata = {}, spec }: KubeObject): FieldError[] {
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
