import { validateApiService, validateApiServiceStatusUpdate } from "../../../api/validation/api-service.js";
import { absent, object, objects, type ReadonlyFields, text } from "../../../machinery/meta/access.js";
import { pathSegmentErrors } from "../../../machinery/validation/names.js";
import type { ResourceRecord } from "../../endpoints/resource-record.js";
import { age, name } from "../tables/cells.js";
import { columns } from "../tables/columns.js";

/** An APIService without a service is answered by this server, so it is always available. */
export const apiServiceRecord: ResourceRecord = {
  group: "apiregistration.k8s.io",
  resource: "apiservices",
  strategy: {
    allowUnconditionalUpdate: false,
    validateName: pathSegmentErrors,
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
    columns: columns(
      [
        "Name",
        ["Service", "The service that serves the version; Local for this server."],
        ["Available", "Whether the service answers, and why not."],
        "Age",
      ],
      (apiService, now) => {
        const service = object(apiService.spec).service;
        return [
          name(apiService),
          service === undefined || service === null
            ? "Local"
            : `${text(object(service).namespace)}/${text(object(service).name)}`,
          availableCell(object(apiService.status)),
          age(apiService, now),
        ];
      },
    ),
  },
};

function availableCell(status: ReadonlyFields): string {
  const condition = objects(status.conditions).find((candidate) => candidate.type === "Available");
  if (condition === undefined) return "Unknown";
  if (condition.status === "True") return "True";
  const reason = text(condition.reason);
  return reason === "" ? text(condition.status) : `${text(condition.status)} (${reason})`;
}
