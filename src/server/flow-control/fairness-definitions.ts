import type { FamilyDefinition } from "../../machinery/metrics/family.js";

const LEVEL = ["priority_level"];
const FLOW = ["priority_level", "flow_schema"];
/** In seconds. */
const DURATIONS = [0, 0.005, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 15, 30];

const named = <Rest extends Omit<FamilyDefinition, "name">>(name: string, rest: Rest) => ({
  name: `apiserver_flowcontrol_${name}`,
  ...rest,
});

const gauge = (name: string, labels: readonly string[], stability: "ALPHA" | "BETA", help: string) =>
  named(name, { type: "gauge", help, labels, stability } as const);

/** kube-apiserver 1.36's metrics of priority and fairness. */
export const FAIRNESS = {
  rejected: named("rejected_requests_total", {
    type: "counter",
    help: "Number of requests rejected by API Priority and Fairness subsystem",
    labels: [...FLOW, "reason"],
    stability: "BETA",
  }),
  dispatched: named("dispatched_requests_total", {
    type: "counter",
    help: "Number of requests executed by API Priority and Fairness subsystem",
    labels: FLOW,
    stability: "BETA",
  }),
  notAccommodated: named("request_dispatch_no_accommodation_total", {
    type: "counter",
    help: "Number of times a dispatch attempt resulted in a non accommodation due to lack of available seats",
    labels: FLOW,
    stability: "ALPHA",
  }),
  waiting: gauge(
    "current_inqueue_requests",
    FLOW,
    "BETA",
    "Number of requests currently pending in queues of the API Priority and Fairness subsystem",
  ),
  waitingSeats: gauge(
    "current_inqueue_seats",
    FLOW,
    "ALPHA",
    "Number of seats currently pending in queues of the API Priority and Fairness subsystem",
  ),
  executing: gauge(
    "current_executing_requests",
    FLOW,
    "BETA",
    "Number of requests in initial (for a WATCH) or any (for a non-WATCH) execution stage in the API Priority and Fairness subsystem",
  ),
  executingSeats: gauge(
    "current_executing_seats",
    FLOW,
    "BETA",
    "Concurrency (number of seats) occupied by the currently executing (initial stage for a WATCH, any stage otherwise) requests in the API Priority and Fairness subsystem",
  ),
  queueLength: named("request_queue_length_after_enqueue", {
    type: "histogram",
    help: "Length of queue in the API Priority and Fairness subsystem, as seen by each request after it is enqueued",
    labels: FLOW,
    buckets: [0, 10, 25, 50, 100, 250, 500, 1000],
    stability: "ALPHA",
  }),
  waited: named("request_wait_duration_seconds", {
    type: "histogram",
    help: "Length of time a request spent waiting in its queue",
    labels: [...FLOW, "execute"],
    buckets: DURATIONS,
    stability: "BETA",
  }),
  executed: named("request_execution_seconds", {
    type: "histogram",
    help: "Duration of initial stage (for a WATCH) or any (for a non-WATCH) stage of request execution in the API Priority and Fairness subsystem",
    labels: [...FLOW, "type"],
    buckets: DURATIONS,
    stability: "ALPHA",
  }),
  watchers: named("watch_count_samples", {
    type: "histogram",
    help: "count of watchers for mutating requests in API Priority and Fairness",
    labels: FLOW,
    buckets: [0, 1, 10, 100, 1000, 10_000],
    stability: "ALPHA",
  }),
  estimated: named("work_estimated_seats", {
    type: "histogram",
    help: "Number of estimated seats (maximum of initial and final seats) associated with requests in API Priority and Fairness",
    labels: FLOW,
    buckets: [1, 2, 4, 8, 16, 32, 64, 100],
    stability: "ALPHA",
  }),
  nominal: gauge(
    "nominal_limit_seats",
    LEVEL,
    "BETA",
    "Nominal number of execution seats configured for each priority level",
  ),
  lowest: gauge(
    "lower_limit_seats",
    LEVEL,
    "ALPHA",
    "Configured lower bound on number of execution seats available to each priority level",
  ),
  highest: gauge(
    "upper_limit_seats",
    LEVEL,
    "ALPHA",
    "Configured upper bound on number of execution seats available to each priority level",
  ),
  current: gauge(
    "current_limit_seats",
    LEVEL,
    "ALPHA",
    "current derived number of execution seats available to each priority level",
  ),
  highWatermark: gauge(
    "demand_seats_high_watermark",
    LEVEL,
    "ALPHA",
    "High watermark, over last adjustment period, of demand_seats",
  ),
  average: gauge(
    "demand_seats_average",
    LEVEL,
    "ALPHA",
    "Time-weighted average, over last adjustment period, of demand_seats",
  ),
  deviation: gauge(
    "demand_seats_stdev",
    LEVEL,
    "ALPHA",
    "Time-weighted standard deviation, over last adjustment period, of demand_seats",
  ),
  smoothed: gauge("demand_seats_smoothed", LEVEL, "ALPHA", "Smoothed seat demands"),
  target: gauge("target_seats", LEVEL, "ALPHA", "Seat allocation targets"),
  virtualTime: gauge("current_r", LEVEL, "ALPHA", "R(time of last change)"),
  lastDispatch: gauge("dispatch_r", LEVEL, "ALPHA", "R(time of last dispatch)"),
  lastStart: gauge("latest_s", LEVEL, "ALPHA", "S(most recently dispatched request)"),
  startBounds: gauge(
    "next_s_bounds",
    [...LEVEL, "bound"],
    "ALPHA",
    "min and max, over queues, of S(oldest waiting request in queue)",
  ),
  discountedBounds: gauge(
    "next_discounted_s_bounds",
    [...LEVEL, "bound"],
    "ALPHA",
    "min and max, over queues, of S(oldest waiting request in queue) - estimated work in progress",
  ),
  epochs: named("epoch_advance_total", {
    type: "counter",
    help: "Number of times the queueset's progress meter jumped backward",
    labels: [...LEVEL, "success"],
    stability: "ALPHA",
  }),
  seatUse: named("priority_level_seat_utilization", {
    type: "histogram",
    help: "Observations, at the end of every nanosecond, of utilization of seats for any stage of execution (but only initial stage for WATCHes)",
    labels: [...LEVEL, "phase"],
    buckets: [0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.99, 1],
    stability: "ALPHA",
  }),
  requestUse: named("priority_level_request_utilization", {
    type: "histogram",
    help: "Observations, at the end of every nanosecond, of number of requests (as a fraction of the relevant limit) waiting or in any stage of execution (but only initial stage for WATCHes)",
    labels: ["phase", ...LEVEL],
    buckets: [0, 0.001, 0.003, 0.01, 0.03, 0.1, 0.25, 0.5, 0.75, 1],
    stability: "ALPHA",
  }),
  readsAndWrites: named("read_vs_write_current_requests", {
    type: "histogram",
    help: "Observations, at the end of every nanosecond, of the number of requests (as a fraction of the relevant limit) waiting or in regular stage of execution",
    labels: ["phase", "request_kind"],
    buckets: [0, 0.001, 0.01, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.99, 1],
    stability: "ALPHA",
  }),
  fairFraction: gauge(
    "seat_fair_frac",
    [],
    "ALPHA",
    "Fair fraction of server's concurrency to allocate to each priority level that can use it",
  ),
  demand: named("demand_seats", {
    type: "histogram",
    help: "Observations, at the end of every nanosecond, of (the number of seats each priority level could use) / (nominal number of seats for that level)",
    labels: LEVEL,
    buckets: [0.2, 0.4, 0.6, 0.8, 1, 1.2, 1.4, 1.7, 2, 2.8, 4, 6],
    stability: "ALPHA",
  }),
} as const satisfies Readonly<Record<string, FamilyDefinition>>;
