import { goQuote } from "../../../base/text/go-quote.js";
import { forbiddenField } from "../../../machinery/errors/field-error.js";
import { mayUseSigner } from "../../authz/signer-rights.js";
import type { ResourceRecord } from "../../endpoints/resource-record.js";
import { object, objects, type ReadonlyFields, text } from "../../../machinery/meta/access.js";
import { labelsCell, name } from "../tables/cells.js";
import { columns } from "../tables/columns.js";

export const podCertificateRequestRecord: ResourceRecord = {
  group: "certificates.k8s.io",
  resource: "podcertificaterequests",
  strategy: {
    /** A certificate is given by those who may sign for the signer. */
    async beforeValidation({ spec, status }, old, { user, authorization }, subresource) {
      if (subresource !== "status" || sameChain(status, old?.status)) return;
      const signer = text(object(spec).signerName);
      if (await mayUseSigner(user, authorization.authorize, "sign", signer)) return;
      const detail = `User ${goQuote(user.name)} is not permitted to "sign" for signer ${goQuote(signer)}`;
      return [forbiddenField("spec.signerName", detail)];
    },
    columns: columns(
      [
        "Name",
        ["PodName", "The pod that the certificate is for."],
        ["ServiceAccountName", "The service account of the pod."],
        ["NodeName", "The node that the pod is bound to."],
        ["SignerName", "The signer that is asked for."],
        ["State", "Whether it is pending, issued, denied or failed."],
        ["UnverifiedUserAnnotations", "What the pod's author tells the signer, which the API server does not check."],
      ],
      (request) => {
        const spec = object(request.spec);
        return [
          name(request),
          text(spec.podName),
          text(spec.serviceAccountName),
          text(spec.nodeName),
          text(spec.signerName),
          stateCell(object(request.status)),
          labelsCell(spec.unverifiedUserAnnotations),
        ];
      },
    ),
  },
};

const sameChain = (one: unknown, other: unknown): boolean =>
  text(object(one).certificateChain) === text(object(other).certificateChain);

/** The last of the conditions that end a request; at most one of them is there. */
function stateCell(status: ReadonlyFields): string {
  const ends = objects(status.conditions).map((condition) => text(condition.type));
  return ends.findLast((type) => ["Issued", "Denied", "Failed"].includes(type)) ?? "Pending";
}
