import type {
  ResourcePoolStatusRequest,
  ResourcePoolStatusRequestStatus,
} from "../../../api/types/resource/v1alpha3.js";
import { absent, object, objects, type Received, text } from "../../../machinery/meta/received.js";
import type { RecordOf } from "../../endpoints/resource-record.js";
import { conditionStatus, name, since } from "../tables/cells.js";
import { columns } from "../tables/columns.js";

export const resourcePoolStatusRequestRecord: RecordOf<ResourcePoolStatusRequest> = {
  group: "resource.k8s.io",
  resource: "resourcepoolstatusrequests",
  strategy: {
    columns: columns(
      [
        "Name",
        ["Driver", "The driver whose pools the request asks about."],
        ["Total", "How many devices the pools have."],
        ["Available", "How many of them can be allocated."],
        ["Allocated", "How many of them claims hold."],
        ["Unavailable", "How many of them can be neither allocated nor freed by a claim."],
        ["Errors", "How many pools could not be counted."],
        ["Pools:integer", "How many pools match the request."],
        ["Status", "Whether the request waits, is answered or has failed."],
        ["Completed", "How long ago the request was answered."],
      ],
      (request, now) => {
        const status = object(request.status);
        return [
          name(request),
          text(object(request.spec).driver),
          ...countCells(request.status),
          poolCount(status),
          statusCell(status),
          completedCell(status, now),
        ];
      },
    ),
  },
};

const COUNTS = ["totalDevices", "availableDevices", "allocatedDevices", "unavailableDevices"] as const;

/** The sums over the pools, and how many pools have an error; dashes where no pool was counted yet, or the request has failed. */
function countCells(status: Received<ResourcePoolStatusRequestStatus> | null | undefined): readonly string[] {
  const { conditions, pools: counted } = object(status);
  if (absent(status) || conditionStatus(conditions, "Failed") === "True") return ["-", "-", "-", "-", "-"];
  const pools = objects(counted);
  const sums = COUNTS.map((count) => pools.reduce((sum, pool) => sum + number(pool[count]), 0));
  const errors = pools.filter(({ validationError }) => !absent(validationError)).length;
  return [...sums, errors].map(String);
}

function statusCell(status: Received<ResourcePoolStatusRequestStatus>): string {
  if (conditionStatus(status.conditions, "Failed") === "True") return "Failed";
  if (conditionStatus(status.conditions, "Complete") !== "True") return "Pending";
  const [shown, all] = [objects(status.pools).length, poolCount(status)];
  return all > shown ? `Complete (${shown}/${all} pools)` : "Complete";
}

function completedCell(status: Received<ResourcePoolStatusRequestStatus>, now: number): string {
  const complete = objects(status.conditions).find(({ type, status: held }) => type === "Complete" && held === "True");
  return complete === undefined ? "<none>" : since(complete.lastTransitionTime, now);
}

const poolCount = (status: Received<ResourcePoolStatusRequestStatus>): number => number(status.poolCount);

const number = (value: unknown): number => (typeof value === "number" ? value : 0);
