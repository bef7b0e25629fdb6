import type {
  CertificateSigningRequest,
  CertificateSigningRequestCondition,
  CertificateSigningRequestStatus,
} from "../../../api/types/certificates/v1.js";
import {
  validateCertificateSigningRequest,
  validateCertificateSigningRequestUpdate,
} from "../../../api/validation/certificates/certificate-request.js";
import { excluding } from "../../../machinery/apply/field-filter.js";
import { humanDuration } from "../../../machinery/text/duration/human-duration.js";
import {
  children,
  type Draft,
  type DraftObject,
  ensureChild,
  number,
  object,
  objects,
  type Received,
  type ReceivedObject,
  text,
} from "../../../machinery/meta/received.js";
import type { RecordOf } from "../../endpoints/resource-record.js";
import { timestamp } from "../../registry/metadata.js";
import type { StrategyContext } from "../../registry/strategy.js";
import { age, name } from "../tables/cells.js";
import { columns } from "../tables/columns.js";

const DECISIONS = ["Approved", "Denied"];

/**
 * The record of CertificateSigningRequests. The server writes the requesting user, and the spec never changes; /approval decides,
 * and /status holds the certificate.
 */
export const certificateSigningRequestRecord: RecordOf<CertificateSigningRequest> = {
  group: "certificates.k8s.io",
  resource: "certificatesigningrequests",
  subresources: {
    approval: {
      part: {
        prepare(draft, old, context) {
          draft.spec = old.spec;
          const status = ensureChild(draft, "status");
          const { certificate } = object(old.status);
          if (certificate === undefined) delete status.certificate;
          else status.certificate = certificate;
          fillTimes(draft, old, context);
        },
        validate: (request, old) => validateCertificateSigningRequestUpdate(request, old, { approve: true }),
      },
    },
  },
  strategy: {
    prepareForCreate(draft, { user }) {
      const spec = ensureChild(draft, "spec");
      spec.username = user.name;
      spec.groups = [...user.groups];
      delete spec.uid;
      delete spec.extra;
      if (user.uid !== undefined) spec.uid = user.uid;
      if (user.extra !== undefined)
        spec.extra = Object.fromEntries(Object.entries(user.extra).map(([key, values]) => [key, [...values]]));
      draft.status = {};
    },
    prepareForUpdate(draft, old) {
      draft.spec = old.spec;
    },
    prepareForStatusUpdate(draft, old, context) {
      for (const type of DECISIONS) keepDecisions(draft, old, type);
      fillTimes(draft, old, context);
    },
    validate: validateCertificateSigningRequest,
    validateUpdate: (request, old) => validateCertificateSigningRequestUpdate(request, old),
    validateStatusUpdate: (request, old) => validateCertificateSigningRequestUpdate(request, old, { sign: true }),
    /** Any name will do. */
    validateName: () => [],
    fieldLabels: ["spec.signerName"],
    fields: (request) => ({ "spec.signerName": text(object(request.spec).signerName) }),
    resetFields: {
      "": excluding("spec", "status"),
      approval: excluding("spec", "status.certificate"),
    },
    columns: columns(
      [
        "Name",
        "Age",
        ["SignerName", "The signer that is asked for."],
        ["Requestor", "The user that made the request."],
        ["RequestedDuration", "How long the certificate should be valid."],
        ["Condition", "Whether it is pending, approved, denied, failed, and whether it has a certificate."],
      ],
      (request, now) => {
        const spec = object(request.spec);
        return [
          name(request),
          age(request, now),
          text(spec.signerName) || "<none>",
          text(spec.username),
          spec.expirationSeconds === undefined ? "<none>" : humanDuration(number(spec.expirationSeconds) * 1000),
          requestCondition(object(request.status)),
        ];
      },
    ),
  },
};

const conditionsOf = (request: ReceivedObject<CertificateSigningRequest>) => objects(object(request.status).conditions);

/**
 * Decisions that are as many as before stay as they are stored: their times need not be sent exactly. Those that were added or removed are
 * there to be refused. Source: preserveConditionInstances of the status strategy.
 */
function keepDecisions(
  draft: DraftObject<CertificateSigningRequest>,
  old: ReceivedObject<CertificateSigningRequest>,
  type: string,
): void {
  const before = conditionsOf(old).filter((one) => one.type === type);
  const status = ensureChild(draft, "status");
  const conditions = children(status, "conditions");
  if (before.length === 0 || conditions.filter((one) => one.type === type).length !== before.length) return;
  const stored = structuredClone(before).values();
  status.conditions = conditions.map((one) => (one.type === type ? (stored.next().value ?? one) : one));
}

/** A condition without times gets them: a transition's stays while its status does. */
function fillTimes(
  draft: DraftObject<CertificateSigningRequest>,
  old: ReceivedObject<CertificateSigningRequest>,
  { now }: StrategyContext,
): void {
  for (const condition of children(ensureChild(draft, "status"), "conditions")) {
    const before = conditionsOf(old).find((one) => one.type === condition.type && one.status === condition.status);
    setTime(condition, "lastUpdateTime", timestamp(now));
    setTime(condition, "lastTransitionTime", text(before?.lastTransitionTime) || timestamp(now));
  }
}

function setTime(
  condition: Draft<CertificateSigningRequestCondition>,
  field: "lastUpdateTime" | "lastTransitionTime",
  value: string,
): void {
  if (text(condition[field]) === "") condition[field] = value;
}

function requestCondition(status: Received<CertificateSigningRequestStatus>): string {
  const types = new Set(objects(status.conditions).map((condition) => condition.type));
  const decision = types.has("Denied") ? "Denied" : types.has("Approved") ? "Approved" : "Pending";
  const failed = types.has("Failed") ? ",Failed" : "";
  return `${decision}${failed}${text(status.certificate) === "" ? "" : ",Issued"}`;
}
