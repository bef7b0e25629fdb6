import type { ApiRequest, Handler } from "../../request/api-request.js";
import { respondText } from "../../request/respond.js";

/** A named check. Throws an error that says what is wrong. */
export interface HealthCheck {
  readonly name: string;
  check(): Promise<void>;
}

/**
 * Serves /healthz, /livez or /readyz: "ok", or 500 with the failed checks; `?verbose` lists every check, `?exclude=` leaves some out, and a
 * path below runs one check. Returns undefined for any other path. `checksNow` returns the checks of a request.
 */
export function healthHandler(
  root: string,
  checksNow: () => readonly HealthCheck[],
): (path: string) => Handler | undefined {
  return (path) => {
    if (path !== root && !path.startsWith(`${root}/`)) return undefined;
    const checks = checksNow();
    if (path === root || path === `${root}/`) return (request) => respondAll(request, root.slice(1), checks);
    const one = checks.find(({ name }) => path === `${root}/${name}`);
    return one === undefined ? undefined : (request) => respondOne(request, one);
  };
}

async function respondAll(request: ApiRequest, name: string, checks: readonly HealthCheck[]): Promise<void> {
  const { query } = request.exchange;
  const excluded = new Set(query.getAll("exclude"));
  const lines: string[] = [];
  const failed: string[] = [];
  for (const check of checks) {
    if (excluded.has(check.name)) {
      lines.push(`[+]${check.name} excluded: ok`);
      continue;
    }
    if (await passes(check)) lines.push(`[+]${check.name} ok`);
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
  if (failed.length > 0) return respondText(request, 500, `${lines.join("\n")}\n${name} check failed\n`);
  if (query.has("verbose")) return respondText(request, 200, `${lines.join("\n")}\n${name} check passed\n`);
  return respondText(request, 200, "ok");
}

async function respondOne(request: ApiRequest, check: HealthCheck): Promise<void> {
  if (await passes(check)) return respondText(request, 200, "ok");
  return respondText(request, 500, "internal server error: reason withheld\n");
}

async function passes(check: HealthCheck): Promise<boolean> {
  try {
    await check.check();
    return true;
  } catch {
    return false;
  }
}
