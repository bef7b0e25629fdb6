import type { Command, Invocation } from "../../cli/command.js";
import type { Factory } from "../../cli/connect/factory.js";
import { parseIntOrString } from "../../polymorphic-helpers/int-or-string.js";
import type { KubeObject } from "../../machinery/meta/object.js";
import {
  completeGenerated,
  createGenerated,
  generatedFlags,
  type GeneratedOptions,
  namespacedMetadata,
} from "./generated.js";

export interface CreateIngressOptions extends GeneratedOptions {
  /** "" leaves it out, and so below. */
  readonly ingressClass: string;
  /** host/path=service:port[,tls[=secret]] */
  readonly rules: readonly string[];
  /** key=value */
  readonly annotations: readonly string[];
  /** service:port */
  readonly defaultBackend: string;
}

export function createIngressCommand(run = runCreateIngress): Command {
  return {
    use: "ingress NAME --rule=host/path=service:port[,tls[=secret]] ",
    description: "Create an ingress.",
    examples: `# Send what asks for foo.com/bar to port 8080 of svc1, with the certificate in my-cert
{{program}} create ingress simple --rule="foo.com/bar=svc1:8080,tls=my-cert"

# Send what asks for /path of any host to svc, under another ingress class
{{program}} create ingress catch-all --class=otheringress --rule="/path=svc:port"

# With annotations
{{program}} create ingress annotated --class=default --rule="foo.com/bar=svc:port" \\
  --annotation ingress.annotation1=foo \\
  --annotation ingress.annotation2=bla

# Several paths of a host
{{program}} create ingress multipath --class=default \\
  --rule="foo.com/=svc:port" \\
  --rule="foo.com/admin/=svcadmin:portadmin"

# Everything below a path
{{program}} create ingress ingress1 --class=default \\
  --rule="foo.com/path*=svc:8080" \\
  --rule="bar.com/admin*=svc2:http"

# What no rule is about goes to defaultsvc
{{program}} create ingress ingdefault --class=default \\
  --default-backend=defaultsvc:http \\
  --rule="foo.com/*=svc:8080,tls=secret1"`,
    flags: [
      ...generatedFlags,
      { name: "class", type: "string", usage: "Ingress class" },
      {
        name: "rule",
        type: "stringArray",
        usage:
          "Where a path goes: host/path=service:port[,tls[=secret]]. A path that ends in * stands for all below it",
      },
      { name: "default-backend", type: "string", usage: "Where everything else goes: service:port" },
      { name: "annotation", type: "stringArray", usage: "An annotation of the ingress: annotation=value" },
    ],
    execute: async (factory, invocation) => run(await complete(factory, invocation)),
  };
}

const RULE = /^[\w*\-.]*\/.*=[\w-]+:[\w-]+/;

async function complete(factory: Factory, invocation: Invocation): Promise<CreateIngressOptions> {
  const { flags } = invocation;
  const options = {
    ...(await completeGenerated(factory, invocation)),
    ingressClass: flags.string("class"),
    rules: flags.strings("rule"),
    annotations: flags.strings("annotation"),
    defaultBackend: flags.string("default-backend"),
  };
  const { rules, annotations, defaultBackend } = options;
  if (defaultBackend === "" && rules.length === 0) {
    throw new Error(
      "not enough information provided: every ingress has to either specify a default-backend (which catches all traffic) or a list of rules (which catch specific paths)",
    );
  }
  const badRule = rules.find((rule) => !RULE.test(rule));
  if (badRule !== undefined) {
    throw new Error(`rule ${badRule} is invalid and should be in format host/path=svcname:svcport[,tls[=secret]]`);
  }
  const badAnnotation = annotations.find((annotation) => !annotation.includes("="));
  if (badAnnotation !== undefined) {
    throw new Error(`annotation ${badAnnotation} is invalid and should be in format key=[value]`);
  }
  if (defaultBackend !== "" && defaultBackend.split(":").length !== 2) {
    throw new Error("default-backend should be in format servicename:serviceport");
  }
  return options;
}

export async function runCreateIngress(options: CreateIngressOptions): Promise<void> {
  await createGenerated(ingress(options), options, "failed to create ingress:");
}

function ingress(options: CreateIngressOptions): KubeObject {
  const { ingressClass, defaultBackend, rules, annotations } = options;
  const pairs = annotations.map((text) => [text.slice(0, text.indexOf("=")), text.slice(text.indexOf("=") + 1)]);
  return {
    kind: "Ingress",
    apiVersion: "networking.k8s.io/v1",
    metadata: { ...namespacedMetadata(options), annotations: Object.fromEntries(pairs) },
    spec: {
      ...(ingressClass !== "" && { ingressClassName: ingressClass }),
      ...(defaultBackend !== "" && { defaultBackend: backend(defaultBackend) }),
      tls: tlsOf(rules),
      rules: rulesOf(rules),
    },
  };
}

interface Tls {
  hosts: string[];
  readonly secretName: string;
}

/** One entry per secret; a host is named once. */
function tlsOf(rules: readonly string[]): readonly Tls[] {
  const entries: Tls[] = [];
  const seen = new Set<string>();
  for (const rule of rules) {
    const [, tls, ...more] = rule.split(",");
    const host = hostOf(rule);
    if (tls === undefined || more.length > 0 || seen.has(host)) continue;
    const secretName = tls.split("=")[1] ?? "";
    const sameSecret = entries.find((entry) => entry.secretName === secretName);
    if (sameSecret !== undefined) sameSecret.hosts.push(host);
    else if (secretName !== "" || host !== "") entries.push({ hosts: host === "" ? [] : [host], secretName });
    seen.add(host);
  }
  return entries;
}

const hostOf = (rule: string): string => rule.split("/", 1)[0] ?? "";

interface Rule {
  readonly host: string;
  readonly http: { readonly paths: object[] };
}

/** One entry per host, with all of its paths. */
function rulesOf(rules: readonly string[]): readonly Rule[] {
  const entries: Rule[] = [];
  for (const rule of rules) {
    const [target = ""] = rule.split(",");
    const host = hostOf(target);
    const path = pathOf(target.slice(host.length + 1));
    const sameHost = entries.find((entry) => entry.host === host);
    if (sameHost === undefined) entries.push({ host, http: { paths: [path] } });
    else sameHost.http.paths.push(path);
  }
  return entries;
}

function pathOf(target: string): object {
  const [path = "", service = ""] = target.split("=");
  const isPrefix = path.endsWith("*");
  return {
    path: `/${isPrefix ? path.slice(0, -1) : path}`,
    pathType: isPrefix ? "Prefix" : "Exact",
    backend: backend(service),
  };
}

function backend(target: string): object {
  const [name = "", text = ""] = target.split(":");
  const port = parseIntOrString(text);
  return { service: { name, port: typeof port === "number" ? { number: port } : { name: port } } };
}
