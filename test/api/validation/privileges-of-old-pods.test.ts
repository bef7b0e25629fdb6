import { expect, test } from "vitest";
import { allScheme } from "../../../src/api/scheme/all.js";
import { formatFieldError } from "../../../src/machinery/errors/field-error.js";
import type { KubeObject } from "../../../src/machinery/meta/object.js";
import { builtinRecord } from "../../../src/server/builtin/index.js";
import type { StrategyContext } from "../../../src/server/registry/strategy.js";
import { v36, v37 } from "../../helpers/server-traits.js";

test("K37-072: a stored pod with CAP_SYS_ADMIN and allowPrivilegeEscalation false remains valid, and a new one is refused", () => {
  const securityContext = { allowPrivilegeEscalation: false, capabilities: { add: ["CAP_SYS_ADMIN"] } };
  const given = {
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name: "p", namespace: "default" },
    spec: { containers: [{ name: "c", image: "i", securityContext }] },
  };
  const pod = allScheme().applyDefaults(given as KubeObject, 0);
  const { strategy } = builtinRecord("", "pods") ?? {};
  const refused = "cannot set `allowPrivilegeEscalation` to false and `capabilities.Add` CAP_SYS_ADMIN";
  const created = (traits: typeof v37) => strategy?.validate?.(pod, traits as StrategyContext).map(formatFieldError);
  const updated = (traits: typeof v37) =>
    strategy?.validateUpdate?.(pod, pod, traits as StrategyContext).map(formatFieldError);
  expect(created(v37)?.join()).toContain(refused);
  expect(updated(v36)?.join()).toContain(refused);
  expect(updated(v37)).toEqual([]);
});
