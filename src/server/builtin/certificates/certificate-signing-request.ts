import { ensureChild, object, text } from "../../../machinery/meta/access.js";
import type { Strategy } from "../../registry/strategy.js";

/** Who asks is written by the server, and the request never changes. */
export const certificateSigningRequestStrategy: Strategy = {
  prepareForCreate(draft, { user }) {
    const spec = ensureChild(draft, "spec");
    spec.username = user.name;
    spec.groups = [...user.groups];
    delete spec.uid;
    delete spec.extra;
    draft.status = {};
  },
  prepareForUpdate(draft, old) {
    draft.spec = old.spec;
  },
  fieldLabels: ["spec.signerName"],
  fields: (request) => ({ "spec.signerName": text(object(request.spec).signerName) }),
};
