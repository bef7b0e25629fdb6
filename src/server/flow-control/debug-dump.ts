import { goDurationText } from "../../client/rest/go-duration-text.js";
import { formatGroupVersion } from "../../machinery/meta/gvk.js";
import type { Handler } from "../request/api-request.js";
import { respondText } from "../request/respond.js";
import type { PriorityLevel } from "./priority-level.js";
import type { PriorityLevels } from "./priority-levels.js";
import type { SeatedRequest } from "./queue.js";
import { formatWork } from "./work.js";

type Row = readonly string[];

const ROOT = "/debug/api_priority_and_fairness/";

/** kube-apiserver's debug pages of priority and fairness, by path. */
export const debugPages = (levels: PriorityLevels): ReadonlyMap<string, Handler> =>
  new Map<string, Handler>([
    [`${ROOT}dump_priority_levels`, (request) => respondText(request, 200, levelTable(levels))],
    [`${ROOT}dump_queues`, (request) => respondText(request, 200, queueTable(levels))],
    [
      `${ROOT}dump_requests`,
      (request) => {
        const hasDetails = (request.exchange.query.get("includeRequestDetails") ?? "") !== "";
        return respondText(request, 200, requestTable(levels, hasDetails));
      },
    ],
  ]);

const LEVEL_HEADERS: Row = [
  "PriorityLevelName",
  "ActiveQueues",
  "IsIdle",
  "IsQuiescing",
  "WaitingRequests",
  "ExecutingRequests",
  "DispatchedRequests",
  "RejectedRequests",
  "TimedoutRequests",
  "CancelledRequests",
];

const levelTable = ({ all }: PriorityLevels): string =>
  table([
    LEVEL_HEADERS,
    ...all.map(({ name, queues, isQuiescing }) =>
      [
        name,
        queues.queues.filter(({ length }) => length > 0).length,
        queues.isIdle,
        isQuiescing,
        queues.counts.waiting,
        queues.counts.executing,
        queues.counts.dispatched,
        queues.counts.rejected,
        // Requests whose time is up count as cancelled.
        0,
        queues.counts.cancelled,
      ].map(String),
    ),
  ]);

const QUEUE_HEADERS: Row = [
  "PriorityLevelName",
  "Index",
  "PendingRequests",
  "ExecutingRequests",
  "SeatsInUse",
  "NextDispatchR",
  "InitialSeatsSum",
  "MaxSeatsSum",
  "TotalWorkSum",
];

const queueTable = ({ all }: PriorityLevels): string =>
  table([
    QUEUE_HEADERS,
    ...all.flatMap(({ name, queues }) =>
      queues.queues.map((queue, index) =>
        [
          name,
          index,
          queue.length,
          queue.executing.size,
          queue.seatsInUse,
          formatWork(queue.nextDispatch),
          queue.initialSeats,
          queue.seatsWaiting,
          formatWork(queue.workWaiting),
        ].map(String),
      ),
    ),
  ]);

const REQUEST_HEADERS: Row = [
  "PriorityLevelName",
  "FlowSchemaName",
  "QueueIndex",
  "RequestIndexInQueue",
  // The field's name is misspelled on the wire.
  "FlowDistingsher",
  "ArriveTime",
  "InitialSeats",
  "FinalSeats",
  "AdditionalLatency",
  "StartTime",
];

const DETAIL_HEADERS: Row = [
  "UserName",
  "Verb",
  "APIPath",
  "Namespace",
  "Name",
  "APIVersion",
  "Resource",
  "SubResource",
];

const requestTable = ({ all }: PriorityLevels, hasDetails: boolean): string =>
  table([
    [...REQUEST_HEADERS, ...(hasDetails ? DETAIL_HEADERS : [])],
    ...all.flatMap((level) =>
      placed(level).map(({ queue, place, request }): Row => {
        const { initialSeats, finalSeats, additionalLatency } = request.estimate;
        return [
          level.name,
          request.flowSchema,
          String(queue),
          String(place),
          request.distinguisher,
          timeText(request.arrived),
          String(initialSeats),
          String(finalSeats),
          goDurationText(additionalLatency / 1e6),
          timeText(request.started),
          ...(hasDetails ? detailsOf(request) : []),
        ];
      }),
    ),
  ]);

interface Placed {
  readonly queue: number;
  readonly place: number;
  readonly request: SeatedRequest;
}

/** The requests of a level and their places; -1 for one that has its seats, and for a level without queues. */
function placed({ queues }: PriorityLevel): readonly Placed[] {
  return [
    ...queues.queues.flatMap((queue, index) => [
      ...[...queue.waiting()].map((request, place) => ({ queue: index, place, request })),
      ...[...queue.executing].map((request) => ({ queue: index, place: -1, request })),
    ]),
    ...[...queues.unqueued].map((request) => ({ queue: -1, place: -1, request })),
  ];
}

function detailsOf({ request }: SeatedRequest): Row {
  if (request === undefined) return DETAIL_HEADERS.map(() => "");
  const { user, info } = request;
  const { verb, path, namespace, name, apiGroup, apiVersion, resource, subresource } = info;
  const groupVersion = formatGroupVersion({ group: apiGroup, version: apiVersion });
  return [user.name, verb, path, namespace, name, groupVersion, resource, subresource];
}

/** As Go prints RFC 3339 with nanoseconds; a time that is not set is the year 1. */
function timeText(milliseconds: number | undefined): string {
  if (milliseconds === undefined) return "0001-01-01T00:00:00Z";
  const [seconds = "", fraction = ""] = new Date(milliseconds).toISOString().slice(0, -1).split(".");
  const digits = fraction === "000" ? "" : `.${withoutZeros(fraction)}`;
  return `${seconds}${digits}Z`;
}

const withoutZeros = (digits: string): string => (digits.endsWith("0") ? withoutZeros(digits.slice(0, -1)) : digits);

/** The narrowest column of Go's tabwriter as kube-apiserver sets it up. */
const NARROWEST = 8;

/** Cells end in a comma and are padded to their columns; the last cell of a row is not. */
function table(rows: readonly Row[]): string {
  const widths: number[] = [];
  for (const row of rows) {
    for (const [column, cell] of row.slice(0, -1).entries()) {
      widths[column] = Math.max(widths[column] ?? NARROWEST, cell.length + 2);
    }
  }
  const lines = rows.map((row) => row.map((cell, at) => (at < row.length - 1 ? padded(cell, widths[at]) : cell)));
  return lines.map((cells) => `${cells.join("")}\n`).join("");
}

const padded = (cell: string, width = NARROWEST): string => `${cell},`.padEnd(width);
