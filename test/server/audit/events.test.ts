import { expect, test } from "vitest";
import { startServer } from "../../../src/cluster/start-server.js";
import type { AuditEvent } from "../../../src/server/audit/audit-event.js";
import { call } from "../../helpers/api-caller.js";

test("timeout", async () => {
  const events: AuditEvent[] = [];
  await using server = await startServer({
    port: false,
    audit: { policy: { rules: [{ level: "RequestResponse" }] }, backends: [(event) => void events.push(event)] },
  });
  const a = await call(server.transport(), "GET", "/api/v1/pods?timeout=never");
  console.log(a.status, a.text, JSON.stringify(events, null, 1));
  expect(1).toBe(1);
});
