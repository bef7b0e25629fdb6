import type { APIService, APIServiceStatus } from "../../../api/types/apiregistration/v1.js";
import { validateApiService, validateApiServiceStatusUpdate } from "../../../api/validation/api-service.js";
import type { ReadonlyFields } from "../../../machinery/meta/access.js";
import { absent, object, objects, type Received, type ReceivedObject, text } from "../../../machinery/meta/received.js";
import { pathSegmentErrors } from "../../../machinery/validation/names.js";
import type { RecordOf } from "../../endpoints/resource-record.js";
import { age, name } from "../tables/cells.js";
import { columns } from "../tables/columns.js";

/** An APIService without a service is answered by this server, so it is always available. One with a service never is: there is no aggregator. */
export const apiServiceRecord: RecordOf<APIService> = {
  group: "apiregistration.k8s.io",
  resource: "apiservices",
  strategy: {
    allowUnconditionalUpdate: false,
    validateName: pathSegmentErrors,
    prepareForCreate(draft, { now }) {
      draft.status = { conditions: [availability(draft, now)] };
    },
    prepareForUpdate(draft, old, { now }) {
      const known = objects(object(draft.status).conditions);
      const before = known.find(({ type }) => type === AVAILABLE);
      // What another program says of a service that stays the same is left alone.
      if (before !== undefined && serviceOf(draft) === serviceOf(old)) return;
      const next = availability(draft, now);
      const isSame = before !== undefined && before.status === next.status;
      const condition = isSame ? { ...next, lastTransitionTime: before.lastTransitionTime } : next;
      draft.status = { ...object(draft.status), conditions: [...known.filter((one) => one !== before), condition] };
    },
    warningsOnCreate: (apiService) => warningsOf(apiService),
    warningsOnUpdate: (apiService, old) => (serviceOf(apiService) === serviceOf(old) ? [] : warningsOf(apiService)),
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

const AVAILABLE = "Available";

/** "kube-system/metrics-server"; undefined for one that the server itself answers. */
function serviceOf({ spec }: ReceivedObject<APIService>): string | undefined {
  const { service } = object(spec);
  return absent(service) ? undefined : `${text(object(service).namespace)}/${text(object(service).name)}`;
}

function availability(apiService: ReceivedObject<APIService>, now: number): ReadonlyFields {
  const service = serviceOf(apiService);
  const at = { type: AVAILABLE, lastTransitionTime: new Date(now).toISOString().replace(/\.\d+Z$/, "Z") };
  return service === undefined
    ? { ...at, status: "True", reason: "Local", message: "Local APIServices are always available" }
    : { ...at, status: "False", reason: "AggregationNotSupported", message: notPassedOn(apiService, service) };
}

function warningsOf(apiService: ReceivedObject<APIService>): readonly string[] {
  const service = serviceOf(apiService);
  return service === undefined ? [] : [`${notPassedOn(apiService, service)}; the APIService stays unavailable`];
}

const notPassedOn = ({ spec }: ReceivedObject<APIService>, service: string): string =>
  `this server does not aggregate APIs yet: it passes no request for ${text(object(spec).group)}/${text(object(spec).version)} on to service ${service}`;

function availableCell(status: Received<APIServiceStatus>): string {
  const condition = objects(status.conditions).find((candidate) => candidate.type === "Available");
  if (condition === undefined) return "Unknown";
  if (condition.status === "True") return "True";
  const reason = text(condition.reason);
  return reason === "" ? text(condition.status) : `${text(condition.status)} (${reason})`;
}
