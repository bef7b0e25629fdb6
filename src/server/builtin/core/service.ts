import { validateService } from "../../../api/validation/service.js";
import { validateServiceStatusUpdate, validateServiceUpdate } from "../../../api/validation/service-update.js";
import { serviceStatusWarnings, serviceWarnings } from "../../../api/validation/service-warnings.js";
import { ensureChild, object, text } from "../../../machinery/meta/access.js";
import { dns1035LabelErrors } from "../../../machinery/validation/names.js";
import type { Strategy } from "../../registry/strategy.js";
import { allocateService, releaseService } from "./service-allocation.js";
import { alignClusterIps, dropOfOldType, keepAllocated } from "./service-changes.js";

export const serviceStrategy: Strategy = {
  prepareForCreate(draft) {
    const spec = ensureChild(draft, "spec");
    draft.status = { loadBalancer: {} };
    alignClusterIps(spec, undefined);
  },
  prepareForUpdate(draft, old) {
    const spec = ensureChild(draft, "spec");
    const before = object(old.spec);
    keepAllocated(spec, before);
    alignClusterIps(spec, before);
    dropOfOldType(spec, before);
    // The balancer goes in its own time; nobody is to be sent there from now.
    if (spec.type !== "LoadBalancer") draft.status = { ...object(draft.status), loadBalancer: {} };
  },
  allocate: allocateService,
  afterDelete: releaseService,
  validate: (service) => validateService(service),
  validateUpdate: validateServiceUpdate,
  validateStatusUpdate: validateServiceStatusUpdate,
  warningsOnCreate: serviceWarnings,
  warningsOnUpdate: serviceWarnings,
  warningsOnStatusUpdate: serviceStatusWarnings,
  validateName: dns1035LabelErrors,
  allowCreateOnUpdate: true,
  fieldLabels: ["spec.clusterIP", "spec.type"],
  fields(service) {
    const spec = object(service.spec);
    return { "spec.clusterIP": text(spec.clusterIP), "spec.type": text(spec.type) };
  },
};
