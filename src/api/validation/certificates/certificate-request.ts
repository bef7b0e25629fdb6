import { append } from "../../../base/collections/append.js";
import { X509Certificate } from "node:crypto";
import { findPemBlock } from "../../../machinery/crypto/pem.js";
import {
  duplicate,
  type FieldError,
  forbiddenField,
  invalidValue,
  notSupported,
  required,
} from "../../../machinery/errors/field-error.js";
import { absent, list, number, object, objects, type ReadonlyFields, text } from "../../../machinery/meta/access.js";
import type { KubeObject } from "../../../machinery/meta/object.js";
import { goQuote } from "../../../base/text/go-quote.js";
import { certificateRequestProblem, subjectProblem } from "./certificate-signature.js";
import { goJson } from "../go-shapes.js";
import { validateSignerName } from "./signer-name.js";
import { repeatedAt, sameValue } from "../rules.js";
import { unifiedDiff } from "../unified-diff.js";

const USAGES = [
  "any",
  "cert sign",
  "client auth",
  "code signing",
  "content commitment",
  "crl sign",
  "data encipherment",
  "decipher only",
  "digital signature",
  "email protection",
  "encipher only",
  "ipsec end system",
  "ipsec tunnel",
  "ipsec user",
  "key agreement",
  "key encipherment",
  "microsoft sgc",
  "netscape sgc",
  "ocsp signing",
  "s/mime",
  "server auth",
  "signing",
  "timestamping",
];

/** What an update may do beyond that of the object itself. */
interface Power {
  /** Through /approval. */
  readonly approve?: boolean;
  /** Through /status. */
  readonly sign?: boolean;
}

export function validateCertificateSigningRequest(request: KubeObject): FieldError[] {
  return validateRequest(request, {});
}

export function validateCertificateSigningRequestUpdate(
  request: KubeObject,
  old: KubeObject,
  power: Power = {},
): FieldError[] {
  const errors = validateRequest(request, old);
  for (const type of ["Approved", "Denied", "Failed"]) {
    if (conditionsOf(request, type).length < conditionsOf(old, type).length) {
      errors.push(frozen(`updates may not remove a condition of type ${goQuote(type)}`));
    }
  }
  if (power.approve !== true) {
    for (const type of ["Approved", "Denied"]) {
      const [now, before] = [conditionsOf(request, type), conditionsOf(old, type)];
      if (now.length > before.length) errors.push(frozen(`updates may not add a condition of type ${goQuote(type)}`));
      else if (now.length === before.length && !sameValue(now, before)) {
        errors.push(frozen(`updates may not modify a condition of type ${goQuote(type)}\n${difference(before, now)}`));
      }
    }
  }
  const [certificate, had] = [text(object(request.status).certificate), text(object(old.status).certificate)];
  if (certificate === had) return errors;
  const path = "status.certificate";
  if (power.sign !== true) return [...errors, forbiddenField(path, "updates may not set certificate content")];
  return had === "" ? errors : [...errors, forbiddenField(path, "updates may not modify existing certificate content")];
}

function difference(before: readonly ReadonlyFields[], now: readonly ReadonlyFields[]): string {
  const lines = (conditions: readonly ReadonlyFields[]) =>
    JSON.stringify(
      conditions.map((condition) => goJson("CertificateSigningRequestCondition", condition)),
      null,
      1,
    ).split("\n");
  return unifiedDiff(lines(before), lines(now));
}

const frozen = (detail: string): FieldError => forbiddenField("status.conditions", detail);

const conditionsOf = (request: KubeObject, type: string): ReadonlyFields[] =>
  objects(object(request.status).conditions).filter((condition) => condition.type === type);

function validateRequest(request: KubeObject, old: KubeObject): FieldError[] {
  const [spec, before] = [object(request.spec), object(old.spec)];
  const errors = [
    ...validatePem(text(spec.request), text(before.request)),
    ...validateUsages(list(spec.usages).map(text), list(before.usages).map(text)),
  ];
  const legacy = "kubernetes.io/legacy-unknown";
  if (spec.signerName === legacy && before.signerName !== legacy) {
    const detail = "the legacy signerName is not allowed via this API version";
    errors.push(invalidValue("spec.signerName", legacy, detail));
  } else append(errors, validateSignerName(text(spec.signerName), "spec.signerName"));
  const expiration = spec.expirationSeconds;
  if (!absent(expiration) && number(expiration) < 600) {
    const detail = "may not specify a duration less than 600 seconds (10 minutes)";
    errors.push(invalidValue("spec.expirationSeconds", expiration, detail));
  }
  append(errors, validateConditions(objects(object(request.status).conditions), old));
  return [...errors, ...validateCertificate(request, old)];
}

/** A request that is stored may have a subject that is refused today: it can still be denied. */
function validatePem(request: string, before: string): FieldError[] {
  const block = findPemBlock(Buffer.from(request, "base64").toString("latin1"));
  const problem =
    block?.type === "CERTIFICATE REQUEST"
      ? (certificateRequestProblem(block.bytes) ?? (request === before ? undefined : subjectProblem(block.bytes)))
      : "PEM block type must be CERTIFICATE REQUEST";
  return problem === undefined ? [] : [invalidValue("spec.request", request === "" ? null : request, problem)];
}

function validateUsages(usages: readonly string[], before: readonly string[]): FieldError[] {
  const errors = usages.length === 0 ? [required("spec.usages")] : [];
  const known = before.every((usage) => USAGES.includes(usage));
  const single = new Set(before).size === before.length;
  const path = (index: number) => `spec.usages[${index}]`;
  if (known) {
    for (const [index, usage] of usages.entries()) {
      if (!USAGES.includes(usage)) errors.push(notSupported(path(index), usage, USAGES));
    }
  }
  if (!single) return errors;
  return [...errors, ...[...repeatedAt(usages)].map((index) => duplicate(path(index), usages[index]))];
}

const STATUSES = ["False", "True", "Unknown"];

function validateConditions(conditions: readonly ReadonlyFields[], old: KubeObject): FieldError[] {
  const oldTypes = objects(object(old.status).conditions).map(({ type }) => text(type));
  const types = conditions.map(({ type }) => text(type));
  const both = oldTypes.includes("Approved") && oldTypes.includes("Denied");
  const repeats = new Set(oldTypes).size < oldTypes.length;
  const again = repeatedAt(types);
  const lacksType = !oldTypes.includes("");
  return conditions.flatMap((condition, index) => {
    const path = `status.conditions[${index}]`;
    const [type = "", status] = [types[index], text(condition.status)];
    const errors = type === "" && lacksType ? [required(`${path}.type`)] : [];
    const allowed = ["Approved", "Denied", "Failed"].includes(type) ? ["True"] : STATUSES;
    if (status === "") errors.push(required(`${path}.status`));
    else if (!allowed.includes(status)) errors.push(notSupported(`${path}.status`, status, allowed));
    const opposite = type === "Approved" ? "Denied" : type === "Denied" ? "Approved" : undefined;
    if (!both && opposite !== undefined && types.indexOf(opposite) >= 0 && types.indexOf(opposite) < index) {
      const detail = "Approved and Denied conditions are mutually exclusive";
      errors.push(invalidValue(`${path}.type`, type, detail));
    }
    if (!repeats && again.has(index)) errors.push(duplicate(`${path}.type`, type));
    return errors;
  });
}

const BLOCK = /-----BEGIN ([^-]+)-----\r?\n((?:(?!-----BEGIN )[\s\S])*?)-----END \1-----/g;

function validateCertificate(request: KubeObject, old: KubeObject): FieldError[] {
  const [value, had] = [text(object(request.status).certificate), text(object(old.status).certificate)];
  if (value === had || value === "" || certificateProblem(had) !== undefined) return [];
  const problem = certificateProblem(value);
  return problem === undefined ? [] : [invalidValue("status.certificate", "<certificate data>", problem)];
}

function certificateProblem(encoded: string): string | undefined {
  if (encoded === "") return undefined;
  const blocks = [...Buffer.from(encoded, "base64").toString("latin1").matchAll(BLOCK)];
  if (blocks.length === 0) return "must contain at least one CERTIFICATE PEM block";
  for (const [pem, type = "", body = ""] of blocks) {
    if (type !== "CERTIFICATE") return `only CERTIFICATE PEM blocks are allowed, found ${goQuote(type)}`;
    if (body.includes(":")) return "no PEM block headers are permitted";
    try {
      new X509Certificate(pem);
    } catch {
      return "x509: malformed certificate";
    }
  }
  return undefined;
}
