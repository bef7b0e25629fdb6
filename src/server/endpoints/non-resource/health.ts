import { Measuring } from "../../metrics/measures.js";
import type { ApiRequest, Handler } from "../../request/api-request.js";
import { hideFailure, isFailure } from "../../request/failure-stack.js";
import { respondText } from "../../request/respond.js";

/** A named health check. It throws an error that tells what is wrong. */
export interface HealthCheck {
  readonly name: string;
  /** Whether /livez leaves the check out: a restart of the server would not mend what it finds. */
  readonly isReadinessOnly?: boolean;
  check(): Promise<void>;
}

/** The answer to a request for health: plain text. */
export interface HealthAnswer {
  readonly status: 200 | 500;
  readonly text: string;
}

/**
 * Serves /healthz, /livez or /readyz: "ok", or 500 with the failed checks; `?verbose` lists every check, `?exclude=` leaves some out, and a
 * path below runs one check. Returns undefined for any other path. `checksNow` returns the checks of a request.
 */
export function healthHandler(
  root: string,
  checksNow: () => readonly HealthCheck[],
  measuring: Measuring = new Measuring(),
): (path: string) => Handler | undefined {
  return (path) => {
    const answer = healthAnswer(root, path, checksNow, (...result) => measuring.on?.healthCheck(...result));
    if (answer === undefined) return undefined;
    const handle = async (request: ApiRequest): Promise<void> => {
      const { status, text } = await answer(request.exchange.query);
      if (isFailure(status)) hideFailure(request.added);
      await respondText(request, status, text);
    };
    // kube-apiserver counts requests for all checks, and not those for one.
    const isRoot = path === root;
    return (request) => (isRoot ? measuring.on : undefined)?.request(request, OF_NO_API, handle) ?? handle(request);
  };
}

const OF_NO_API = { component: "" };

/** Makes the answer for a path of {@link healthHandler}, for a server without API requests. */
export function healthAnswer(
  root: string,
  path: string,
  checksNow: () => readonly HealthCheck[],
  onResult: OnResult = () => {},
): ((query: URLSearchParams) => Promise<HealthAnswer>) | undefined {
  if (path !== root && !path.startsWith(`${root}/`)) return undefined;
  const checks = checksNow();
  if (path === root || path === `${root}/`) return (query) => answerAll(query, root.slice(1), checks, onResult);
  const one = checks.find(({ name }) => path === `${root}/${name}`);
  return one === undefined ? undefined : () => answerOne(one);
}

/** Called with the result of each check that a request for all of them runs. `type` is "healthz", "livez" or "readyz". */
type OnResult = (name: string, type: string, passed: boolean) => void;

async function answerAll(
  query: URLSearchParams,
  name: string,
  checks: readonly HealthCheck[],
  onResult: OnResult,
): Promise<HealthAnswer> {
  const excluded = new Set(query.getAll("exclude"));
  const lines: string[] = [];
  const failed: string[] = [];
  for (const check of checks) {
    if (excluded.has(check.name)) {
      lines.push(`[+]${check.name} excluded: ok`);
      continue;
    }
    const passed = await passes(check);
    onResult(check.name, name, passed);
    if (passed) lines.push(`[+]${check.name} ok`);
    else {
      lines.push(`[-]${check.name} failed: reason withheld`);
      failed.push(check.name);
    }
  }
  const strange = [...excluded].filter((one) => !checks.some((check) => check.name === one));
  if (strange.length > 0) {
    lines.push(
      `warn: some health checks cannot be excluded: no matches for ${strange.map((one) => `"${one}"`).join(",")}`,
    );
  }
  if (failed.length > 0) return { status: 500, text: `${lines.join("\n")}\n${name} check failed\n` };
  if (query.has("verbose")) return { status: 200, text: `${lines.join("\n")}\n${name} check passed\n` };
  return { status: 200, text: "ok" };
}

async function answerOne(check: HealthCheck): Promise<HealthAnswer> {
  if (await passes(check)) return { status: 200, text: "ok" };
  return { status: 500, text: "internal server error: reason withheld\n" };
}

async function passes(check: HealthCheck): Promise<boolean> {
  try {
    await check.check();
    return true;
  } catch {
    return false;
  }
}
