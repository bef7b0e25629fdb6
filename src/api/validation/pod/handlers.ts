import { forbiddenField, invalidValue, notSupported, required } from "../../../machinery/errors/field-error.js";
import { absent, list, number, object, objects, type Received, text } from "../../../machinery/meta/received.js";
import { httpHeaderNameErrors, portNameErrors, portNumberErrors } from "../../../machinery/validation/names.js";
import type {
  ExecAction,
  GRPCAction,
  HTTPGetAction,
  Lifecycle,
  LifecycleHandler,
  Probe,
  SleepAction,
  TCPSocketAction,
} from "../../types/core/v1.js";
import type { IntOrString } from "../../types/meta/v1.js";
import { check, checkNonNegative, checkOneOf, type Errors } from "../collect.js";

type ProbeKind = "livenessProbe" | "readinessProbe" | "startupProbe";

const SECONDS = [
  "initialDelaySeconds",
  "timeoutSeconds",
  "periodSeconds",
  "successThreshold",
  "failureThreshold",
] as const;

export function validateProbe(probe: Received<Probe>, kind: ProbeKind, path: string, errors: Errors): void {
  validateHandler(probe, PROBE_HANDLERS, undefined, path, errors);
  for (const field of SECONDS) checkNonNegative(probe[field], `${path}.${field}`, errors);
  const gracePeriod = probe.terminationGracePeriodSeconds;
  const gracePath = `${path}.terminationGracePeriodSeconds`;
  if (!absent(gracePeriod) && number(gracePeriod) <= 0) {
    errors.push(invalidValue(gracePath, gracePeriod, "must be greater than 0"));
  }
  if (kind === "readinessProbe") {
    if (!absent(gracePeriod)) errors.push(invalidValue(gracePath, gracePeriod, "must not be set for readinessProbes"));
  } else if (number(probe.successThreshold) !== 1) {
    errors.push(invalidValue(`${path}.successThreshold`, probe.successThreshold ?? 0, "must be 1"));
  }
}

/** Validates the hooks and the stop signal of a container. `os` is the pod's spec.os.name; undefined where it has none. */
export function validateLifecycle(
  lifecycle: Received<Lifecycle>,
  gracePeriod: number | undefined,
  os: string | null | undefined,
  path: string,
  errors: Errors,
): void {
  for (const hook of ["postStart", "preStop"] as const) {
    if (absent(lifecycle[hook])) continue;
    validateHandler(object(lifecycle[hook]), HOOK_HANDLERS, gracePeriod, `${path}.${hook}`, errors);
  }
  if (!absent(lifecycle.stopSignal)) checkStopSignal(lifecycle.stopSignal, os, `${path}.stopSignal`, errors);
}

type ValidateAction<Action> = (
  action: Received<Action>,
  path: string,
  errors: Errors,
  gracePeriod: number | undefined,
) => void;

const exec: ValidateAction<ExecAction> = (action, path, errors) => {
  if (list(action.command).length === 0) errors.push(required(`${path}.command`));
};

const httpGet: ValidateAction<HTTPGetAction> = (action, path, errors) => {
  if (text(action.path) === "") errors.push(required(`${path}.path`));
  validatePortNumberOrName(action.port, `${path}.port`, errors);
  if (action.scheme !== "HTTP" && action.scheme !== "HTTPS") {
    errors.push(notSupported(`${path}.scheme`, text(action.scheme), ["HTTP", "HTTPS"]));
  }
  for (const { name } of objects(action.httpHeaders)) {
    check(text(name), `${path}.httpHeaders`, httpHeaderNameErrors, errors);
  }
  checkProtocol(action, `${path}.protocol`, errors);
};

/** HTTP/2 is spoken in the clear, with the pod itself (K37-020). */
function checkProtocol({ protocol, scheme, host }: Received<HTTPGetAction>, path: string, errors: Errors): void {
  if (absent(protocol)) return;
  checkOneOf(protocol, path, ["HTTP1", "HTTP2"], errors);
  if (protocol !== "HTTP2") return;
  if (scheme === "HTTPS") errors.push(invalidValue(path, protocol, "HTTP2 cannot be combined with scheme HTTPS"));
  else if (text(host) !== "") errors.push(invalidValue(path, protocol, "HTTP2 cannot be combined with a host"));
}

const port: ValidateAction<TCPSocketAction | GRPCAction> = (action, path, errors) =>
  validatePortNumberOrName(action.port, `${path}.port`, errors);

const grpc: ValidateAction<GRPCAction> = (action, path, errors) => {
  port(action, path, errors, undefined);
  checkOneOf(action.mode, `${path}.mode`, ["Plaintext", "TLS"], errors);
};

const sleep: ValidateAction<SleepAction> = (action, path, errors, gracePeriod) => {
  const seconds = number(action.seconds);
  if (gracePeriod === undefined || (seconds >= 0 && seconds <= gracePeriod)) return;
  const detail = `must be non-negative and less than terminationGracePeriodSeconds (${gracePeriod})`;
  errors.push(invalidValue(path, action.seconds ?? 0, detail));
};

type AnyHandler = Probe & LifecycleHandler;
type HandlerKind = "exec" | "httpGet" | "tcpSocket" | "grpc" | "sleep";

interface HandlerRule<Kind extends HandlerKind = HandlerKind> {
  readonly kind: Kind;
  validate(action: Received<AnyHandler[Kind]>, path: string, errors: Errors, gracePeriod: number | undefined): void;
}

type Handlers = readonly HandlerRule[];

const PROBE_HANDLERS: Handlers = [
  { kind: "exec", validate: exec },
  { kind: "httpGet", validate: httpGet },
  { kind: "tcpSocket", validate: port },
  { kind: "grpc", validate: grpc },
];

const HOOK_HANDLERS: Handlers = [
  { kind: "exec", validate: exec },
  { kind: "httpGet", validate: httpGet },
  { kind: "tcpSocket", validate: port },
  { kind: "sleep", validate: sleep },
];

function validateHandler(
  handler: Received<AnyHandler>,
  handlers: Handlers,
  gracePeriod: number | undefined,
  path: string,
  errors: Errors,
): void {
  let found = false;
  for (const rule of handlers) {
    const { kind } = rule;
    if (absent(handler[kind])) continue;
    if (found) errors.push(forbiddenField(`${path}.${kind}`, "may not specify more than 1 handler type"));
    else rule.validate(object(handler[kind]), `${path}.${kind}`, errors, gracePeriod);
    found = true;
  }
  if (!found) errors.push(required(path, "must specify a handler type"));
}

function validatePortNumberOrName(value: IntOrString | null | undefined, path: string, errors: Errors): void {
  if (typeof value === "string") check(value, path, portNameErrors, errors);
  else for (const message of portNumberErrors(number(value))) errors.push(invalidValue(path, value ?? 0, message));
}

const NAMED_SIGNALS =
  "ABRT ALRM BUS CHLD CLD CONT FPE HUP ILL INT IO IOT KILL PIPE POLL PROF PWR QUIT SEGV STKFLT STOP SYS TERM TRAP TSTP TTIN TTOU URG USR1 USR2 VTALRM WINCH XCPU XFSZ RTMIN RTMAX";

const LINUX_SIGNALS = [
  ...NAMED_SIGNALS.split(" "),
  ...Array.from({ length: 15 }, (_, step) => `RTMIN+${step + 1}`),
  ...Array.from({ length: 14 }, (_, step) => `RTMAX-${step + 1}`),
]
  .map((name) => `SIG${name}`)
  .sort();

function checkStopSignal(
  signal: string | null | undefined,
  os: string | null | undefined,
  path: string,
  errors: Errors,
): void {
  if (absent(os)) {
    errors.push(forbiddenField(path, "may not be set for containers with empty `spec.os.name`"));
    return;
  }
  const known = os === "windows" ? ["SIGKILL", "SIGTERM"] : os === "linux" ? LINUX_SIGNALS : undefined;
  if (known !== undefined && !known.includes(text(signal))) errors.push(notSupported(path, signal, known));
}
