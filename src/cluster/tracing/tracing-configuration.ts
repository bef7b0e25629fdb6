import { readText } from "../../base/files/read-file.js";
import { errorMessage } from "../../base/text/error-message.js";
import { goQuote } from "../../base/text/go-quote.js";
import { type FieldError, formatFieldErrors, invalidValue } from "../../machinery/errors/field-error.js";
import { int32, string, struct } from "../../machinery/schema/build-schema.js";
import { type ConfigurationFormat, decodeConfigurationStrictly } from "../../machinery/wire/configuration-document.js";

/** The collector that receives the traces, and the sampling rate. */
export interface TracingConfiguration {
  /** Where a collector listens for OTLP over gRPC, without TLS. Default "localhost:4317". */
  readonly endpoint?: string;
  /** Of a million traces that no caller has begun, how many are recorded. Default 0. */
  readonly samplingRatePerMillion?: number;
}

const schema = struct("TracingConfiguration", {
  kind: string,
  apiVersion: string,
  endpoint: string,
  samplingRatePerMillion: int32,
});

/** The versions have the same fields. */
const FORMAT: ConfigurationFormat = {
  group: "apiserver.config.k8s.io",
  kind: "TracingConfiguration",
  versions: new Map([
    ["v1", schema],
    ["v1beta1", schema],
    ["v1alpha1", schema],
  ]),
  scheme: "k8s.io/apiserver/pkg/server/options/tracing.go:49",
};

/** Reads and validates the file of --tracing-config-file. Rejects in kube-apiserver's words, and adds the file to those that do not name it. */
export async function readTracingConfiguration(file: string): Promise<TracingConfiguration> {
  const failed = (message: string): Error => new Error(`failed to read tracing config: ${message}`);
  let text: string;
  try {
    text = await readText(file);
  } catch (error) {
    throw failed(`unable to read tracing configuration from ${goQuote(file)}: ${errorMessage(error)}`);
  }
  let configuration: TracingConfiguration;
  try {
    const { readConfigurationDocument } = await import("../../machinery/text/yaml/configuration-document.js");
    configuration = decodeConfigurationStrictly<TracingConfiguration>(readConfigurationDocument(text), FORMAT).object;
  } catch (error) {
    throw failed(`unable to decode tracing configuration data: ${errorMessage(error)} (in ${goQuote(file)})`);
  }
  const errors = tracingErrors(configuration);
  if (errors.length === 0) return configuration;
  throw new Error(`failed to validate tracing configuration: ${formatFieldErrors(errors)} (in ${goQuote(file)})`);
}

/** Everything that is wrong with a configuration, in kube-apiserver's words and order. */
function tracingErrors({ endpoint, samplingRatePerMillion: rate }: TracingConfiguration): readonly FieldError[] {
  return [...(rate === undefined ? [] : rateErrors(rate)), ...(endpoint === undefined ? [] : endpointErrors(endpoint))];
}

function rateErrors(rate: number): readonly FieldError[] {
  const invalid = (detail: string) => [invalidValue("samplingRatePerMillion", rate, detail)];
  if (rate < 0) return invalid("sampling rate must be positive");
  return rate > 1_000_000 ? invalid("sampling rate per million must be less than or equal to one million") : [];
}

const SCHEMES = ["dns", "unix"];

function endpointErrors(given: string): readonly FieldError[] {
  const endpoint = given.includes("//") ? given : `dns://${given}`;
  const [, scheme = ""] = /^([a-z][a-z0-9+.-]*):/i.exec(endpoint) ?? [];
  if (scheme === "unix-abstract") {
    return [
      invalidValue("endpoint", endpoint, "Node has no abstract sockets; give the path of a socket, unix:///path"),
    ];
  }
  if (SCHEMES.includes(scheme.toLowerCase())) return [];
  return [
    invalidValue(
      "endpoint",
      endpoint,
      `unsupported scheme: ${scheme}.  Options are none, dns, unix, or unix-abstract.  See https://github.com/grpc/grpc/blob/master/doc/naming.md`,
    ),
  ];
}
