import type { Stopwatch } from "../../base/time/timers.js";
import { goQuote } from "../../base/text/go-quote.js";
import { timeout } from "../../machinery/errors/status-error.js";
import { RequestAttributes } from "../authz/request-attributes.js";
import { isLongRunning } from "../filters/max-in-flight.js";
import type { ApiRequest, Handler } from "../request/api-request.js";
import type { RefuseRequest, RequestAuditing } from "../request/request-audit.js";
import { respondText } from "../request/respond.js";
import { ANONYMOUS } from "../request/user.js";
import { AuditedExchange } from "./audited-exchange.js";
import type { AuditBackend, AuditCounts } from "./backends/audit-backend.js";
import type { PolicyRules } from "./policy/policy-rules.js";
import { RequestRecord, type RecordSurroundings } from "./request-record.js";

interface FilterParts {
  readonly rules: PolicyRules;
  readonly sink: AuditBackend;
  readonly counts: AuditCounts;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  readonly stopwatch: () => Stopwatch;
}

/** Records requests by the rules of a policy. A request that no rule names costs the look at the rules. */
export function requestAuditing(parts: FilterParts): RequestAuditing {
  const { rules, counts, now } = parts;
  const surroundings: RecordSurroundings = { ...parts, count: () => (counts.events += 1) };

  const recordOf = (request: ApiRequest): RequestRecord | undefined => {
    const rule = rules.of(new RequestAttributes(request));
    counts.level(rule.level);
    return rule.level === "None" ? undefined : new RequestRecord(request, rule, surroundings);
  };

  async function recorded(next: Handler, request: ApiRequest, record: RequestRecord): Promise<void> {
    record.authenticatedBy(now());
    const received = record.process("RequestReceived");
    if (!(received instanceof Promise ? await received : received)) {
      counts.rejected += 1;
      return respondText(
        request,
        500,
        `Internal Server Error: ${goQuote(request.exchange.uri)}: failed to store audit event\n`,
      );
    }
    await following(next, request, record);
  }

  return {
    filter: (next) => (request) => {
      const record = recordOf(request);
      return record === undefined ? next(request) : recorded(next, request, record);
    },
    refusing: (answer) => (request, status) => {
      const record = recordOf(request.with({ user: NOBODY }));
      return record === undefined ? answer(request, status) : refused(answer, request, status, record);
    },
  };
}

/** A request whose credentials are not read yet has no user. */
const NOBODY = { ...ANONYMOUS, name: "", groups: [] };

async function following(next: Handler, request: ApiRequest, record: RequestRecord): Promise<void> {
  const exchange = new AuditedExchange(request.exchange, record, isLongRunning(request.info));
  try {
    await next(request.with({ exchange, audit: record }));
  } catch (error) {
    if (request.isCancelled && !record.hasStatus) record.status(cancelled(request));
    throw error;
  } finally {
    await record.complete();
  }
}

/** What a request would have been answered whose client has left, or whose time has passed. */
function cancelled({ exchange }: ApiRequest) {
  const reason = exchange.left === true ? "context canceled" : "context deadline exceeded";
  return timeout(`request did not complete within requested timeout - ${reason}`, 0).status;
}

/** kube-apiserver records such a request once, when its answer begins. */
async function refused(
  answer: RefuseRequest,
  request: ApiRequest,
  status: Parameters<RefuseRequest>[1],
  record: RequestRecord,
): Promise<void> {
  const exchange = new AuditedExchange(request.exchange, record, true);
  await answer(request.with({ exchange, audit: record }), status);
}
