import { validateApiService, validateApiServiceStatusUpdate } from "../../../api/validation/api-service.js";
import { absent, object } from "../../../machinery/meta/access.js";
import { pathSegmentErrors } from "../../../machinery/validation/names.js";
import type { Strategy } from "../../registry/strategy.js";
import { keepMetadata } from "../keep-metadata.js";

/** An APIService without a service is answered by this server, so it is always available. */
export const apiServiceStrategy: Strategy = {
  allowUnconditionalUpdate: false,
  validateName: pathSegmentErrors,
  prepareForStatusUpdate: keepMetadata,
  prepareForCreate(draft, { now }) {
    if (!absent(object(draft.spec).service)) return;
    draft.status = {
      conditions: [
        {
          type: "Available",
          status: "True",
          lastTransitionTime: new Date(now).toISOString().replace(/\.\d+Z$/, "Z"),
          reason: "Local",
          message: "Local APIServices are always available",
        },
      ],
    };
  },
  validate: validateApiService,
  validateUpdate: validateApiService,
  validateStatusUpdate: validateApiServiceStatusUpdate,
};
