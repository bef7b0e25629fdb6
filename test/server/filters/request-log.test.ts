import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { startServer } from "../../../src/cluster/start-server.js";
import type { LogValues } from "../../../src/machinery/text/klog/klog.js";
import { internalError } from "../../../src/machinery/errors/status-error.js";
import type { Handler } from "../../../src/server/request/api-request.js";
import { respondText } from "../../../src/server/request/respond.js";
import { call } from "../../helpers/api-caller.js";
import { eventually } from "../../helpers/eventually.js";

const TOKEN = "a-token-that-an-error-quotes";

/** Code of a server that fails in each of the ways that there are. */
const FAILURES: Readonly<Record<string, Handler>> = {
  "/thrown": async function throwsPlainly() {
    throw new Error(`cannot use ${TOKEN}`);
  },
  "/status": async function throwsStatus() {
    throw internalError(`cannot use ${TOKEN}`);
  },
  "/sent": function sendsFailure(request) {
    return respondText(request, 503, `no ${TOKEN}\n`);
  },
  "/missing": (request) => respondText(request, 404, "nothing\n"),
};

describe("C-RUN-01: the log line of a request that fails in the server", () => {
  const lines: LogValues[] = [];
  let server: Awaited<ReturnType<typeof startServer>>;

  beforeAll(async () => {
    server = await startServer({
      port: false,
      monitoring: { requestLog: { isOn: () => true, write: (_, values) => void lines.push(values) } },
      healthChecks: [{ name: "broken", check: () => Promise.reject(new Error("broken")) }],
      filters: [
        {
          name: "failing",
          after: "authentication",
          filter: (next) => (request) => (FAILURES[request.exchange.path] ?? next)(request),
        },
      ],
    });
  });
  afterAll(() => server?.close());

  /** The line of a request for the path, which comes when the client has its answer. */
  async function lineOf(path: string): Promise<LogValues> {
    await call(server.transport(), "GET", path);
    return eventually(async () => {
      const line = lines.find(({ URI }) => URI === path);
      if (line === undefined) throw new Error(`${path} has no line`);
      return line;
    });
  }

  test.each([
    ["/thrown", 500, "throwsPlainly"],
    ["/status", 500, "throwsStatus"],
    ["/sent", 503, "sendsFailure"],
  ])("for %s has the stack of the failing code, without the error's message", async (path, resp, code) => {
    const line = await lineOf(path);
    expect(line["resp"]).toBe(resp);
    expect(line["statusStack"]).toMatch(new RegExp(`^\\n +at .*${code}.*request-log\\.test\\.ts:`, "s"));
    expect(JSON.stringify(line)).not.toContain(TOKEN);
  });

  test.each([
    ["/missing", 404],
    ["/readyz", 500],
  ])("for %s has no stack", async (path, resp) => {
    const line = await lineOf(path);
    expect([line["resp"], line["statusStack"]]).toEqual([resp, undefined]);
  });
});
