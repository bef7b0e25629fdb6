import type { APIServiceCondition, APIService, APIServiceStatus } from "../../../api/types/apiregistration/v1.js";
import { validateApiService, validateApiServiceStatusUpdate } from "../../../api/validation/api-service.js";
import type { ReadonlyFields } from "../../../machinery/meta/access.js";
import {
  type FieldsOf,
  absent,
  object,
  objects,
  type Received,
  type ReceivedObject,
  text,
} from "../../../machinery/meta/received.js";
import { pathSegmentErrors } from "../../../machinery/validation/names.js";
import type { RecordOf } from "../../endpoints/resource-record.js";
import { age, name } from "../tables/cells.js";
import { columns } from "../tables/columns.js";
import { AVAILABLE, remoteApiOf, serviceFault } from "./remote-apis.js";

/**
 * The record of APIServices. One without a service is served by this server, and so always available; for one with a service the
 * aggregator checks it.
 */
export const apiServiceRecord: RecordOf<APIService> = {
  group: "apiregistration.k8s.io",
  resource: "apiservices",
  strategy: {
    allowUnconditionalUpdate: false,
    validateName: pathSegmentErrors,
    prepareForCreate(draft, { now }) {
      draft.status = serviceOf(draft) === undefined ? { conditions: [local(now)] } : {};
    },
    prepareForUpdate(draft, old, { now }) {
      const known = objects(object(draft.status).conditions);
      const before = known.find(({ type }) => type === AVAILABLE);
      const service = serviceOf(draft);
      if (service === serviceOf(old) && (service !== undefined || before !== undefined)) return;
      // What was found out about another service says nothing about this one.
      const others = known.filter((one) => one !== before);
      draft.status = { ...object(draft.status), conditions: service === undefined ? [...others, local(now)] : others };
    },
    async beforeValidation(draft, old, { objects: { cached }, warn }) {
      const service = serviceOf(draft);
      if (service === undefined || (old !== undefined && service === serviceOf(old))) return;
      const { namespace, name } = object(object(draft.spec).service);
      const found = await cached.get("", "services", text(namespace), text(name));
      const remote = remoteApiOf(draft);
      const fault = remote && serviceFault(remote, found);
      if (fault !== undefined) warn(`the APIService is not available: ${fault.message}`);
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
        return [
          name(apiService),
          serviceOf(apiService) ?? "Local",
          availableCell(object(apiService.status)),
          age(apiService, now),
        ];
      },
    ),
  },
};

/** "kube-system/metrics-server"; undefined for one that the server itself answers. */
function serviceOf({ spec }: ReceivedObject<APIService>): string | undefined {
  const { service } = object(spec);
  return absent(service) ? undefined : `${text(object(service).namespace)}/${text(object(service).name)}`;
}

const local = (now: number): ReadonlyFields =>
  ({
    type: AVAILABLE,
    status: "True",
    reason: "Local",
    message: "Local APIServices are always available",
    lastTransitionTime: new Date(now).toISOString().replace(/\.\d+Z$/, "Z"),
  }) satisfies FieldsOf<APIServiceCondition>;

function availableCell(status: Received<APIServiceStatus>): string {
  const condition = objects(status.conditions).find((candidate) => candidate.type === "Available");
  if (condition === undefined) return "Unknown";
  if (condition.status === "True") return "True";
  const reason = text(condition.reason);
  return reason === "" ? text(condition.status) : `${text(condition.status)} (${reason})`;
}
