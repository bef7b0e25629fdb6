import { type Endpoint, type EndpointOptions, openEndpoint } from "./endpoint.js";

/** Throws for what is not healthy. */
export type HealthCheck = () => void | Promise<void>;

export interface HealthEndpointOptions extends EndpointOptions {
  /** What /healthz asks, by name. It says ok where there is none. */
  readonly liveness?: Readonly<Record<string, HealthCheck>>;
  /** What /readyz asks beside the manager's own checks: "informers", whether its caches are full. */
  readonly readiness?: Readonly<Record<string, HealthCheck>>;
}

/**
 * Opens the port for kubelet's probes, without TLS. /healthz and /readyz answer 200 "ok", or 500 with a line for each check; below them each
 * check has a path of its own, /readyz/informers. An answer names the checks that failed without their reasons; the manager reports the reasons of the checks that the options give.
 */
export function openHealthEndpoint(
  { liveness = {}, readiness = {}, ...options }: HealthEndpointOptions,
  own: Readonly<Record<string, HealthCheck>>,
  report: (what: string, error: unknown) => void,
): Promise<Endpoint> {
  const checks = new Map([
    ["/healthz", new Map(Object.entries(liveness))],
    ["/readyz", new Map(Object.entries({ ...own, ...readiness }))],
  ]);
  return openEndpoint(options, async (path) => {
    const [, root = "", name] = /^(\/[^/]*)(?:\/(.+))?$/.exec(path) ?? [];
    const all = checks.get(root);
    const asked = name === undefined ? all : all?.has(name) ? new Map([[name, all.get(name)]]) : undefined;
    if (asked === undefined) return { code: 404, body: `nothing is at ${path}\n` };
    const lines = await Promise.all(
      [...asked].map(async ([check, run]) => {
        try {
          await run?.();
          return `[+]${check} ok`;
        } catch (error) {
          // A manager that begins is not ready, and that is no problem.
          if (!Object.hasOwn(own, check)) report(`the ${root.slice(1)} check ${check}`, error);
          return `[-]${check} failed: reason withheld`;
        }
      }),
    );
    if (lines.every((line) => line.startsWith("[+]"))) return { code: 200, body: "ok" };
    return { code: 500, body: `${lines.join("\n")}\n${root.slice(1)} check failed\n` };
  });
}
