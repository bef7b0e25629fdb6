import { inOrder } from "../../../base/async/turns.js";
import type { Program } from "../program.js";
import type { MakeCertificate } from "./certificate-maker.js";
import type { CommandLine, ImageScript, ScriptStart } from "./image-script.js";

/** The parts of the cluster that the programs of built-in scripts use. */
export interface BuiltInParts {
  readonly makeCertificate: MakeCertificate;
  readonly random: (bytes: number) => Uint8Array;
  readonly kubectl: Program;
}

/**
 * The scripts for images whose programs write objects into the API that other pods wait for; charts do not work without them. They
 * use the API as their pod's service account. Other programs of these images are stand-ins.
 */
export function builtInScripts({ makeCertificate, random, kubectl }: BuiltInParts): readonly ImageScript[] {
  const certgen = onDemand(async () => (await inOrder(import("./webhook-certgen.js"))).webhookCertgen(makeCertificate));
  const contour = onDemand(async () => (await inOrder(import("./contour-certgen.js"))).contourCertgen(makeCertificate));
  const cilium = onDemand(async () => (await inOrder(import("./cilium-certgen.js"))).ciliumCertgen(makeCertificate));
  const redis = onDemand(async () => (await inOrder(import("./argocd.js"))).redisInitialPassword(random));
  const admin = onDemand(async () => (await inOrder(import("./argocd.js"))).adminInitialPassword(random));
  const memberlist = onDemand(async () => (await inOrder(import("./operator-secrets.js"))).memberlistSecret(random));
  const keda = onDemand(async () => (await inOrder(import("./operator-secrets.js"))).kedaCertificates(makeCertificate));
  return [
    { image: "*kube-webhook-certgen*", start: entrypoint("kube-webhook-certgen", certgen) },
    { image: "*/certgen", start: entrypoint("cilium-certgen", cilium) },
    {
      image: "*contour*",
      start: (line) => {
        const args = argsOf("contour", line);
        return args?.[0] === "certgen" ? { program: contour, argv: ["contour", ...args.slice(1)] } : undefined;
      },
    },
    {
      image: "*argocd*",
      start: (line) => {
        const admins = argsOf("argocd", line);
        if (admins?.[0] === "admin" && admins[1] === "redis-initial-password")
          return { program: redis, argv: ["argocd", ...admins.slice(2)] };
        const server = argsOf("argocd-server", line);
        return server && { program: admin, argv: ["argocd-server", ...server], standsIn: true };
      },
    },
    ...KUBECTL_IMAGES.map((image) => ({ image, start: entrypoint("kubectl", kubectl) })),
    // It has no entrypoint: its args are a command line.
    { image: "*/k8s", start: calls("kubectl", kubectl) },
    { image: "*metallb/controller", start: beforeStandIn("controller", memberlist) },
    { image: "*kedacore/keda", start: beforeStandIn("keda", keda) },
  ];
}

/** Images whose program is kubectl. */
const KUBECTL_IMAGES = ["*/kubectl", "kubectl", "*/k8s-kubectl"];

const onDemand =
  (load: () => Promise<Program>): Program =>
  async (io) =>
    (await load())(io);

/** An image that is one program: args alone are its arguments. */
const entrypoint =
  (name: string, program: Program): ImageScript["start"] =>
  (line): ScriptStart | undefined => {
    const args = line.command === undefined ? line.args : argsOf(name, line);
    return args && { program, argv: [name, ...args] };
  };

/** An image whose command or args begin with the program. */
const calls =
  (name: string, program: Program): ImageScript["start"] =>
  (line): ScriptStart | undefined => {
    const args = argsOf(name, line);
    return args && { program, argv: [name, ...args] };
  };

/** A server that writes an object at its start, and then stands in. */
const beforeStandIn =
  (name: string, program: Program): ImageScript["start"] =>
  (line): ScriptStart | undefined => {
    const start = entrypoint(name, program)(line);
    return start && { ...start, standsIn: true };
  };

/** The arguments of a program that the container's command line calls; undefined where it calls another one. */
function argsOf(program: string, { command = [], args }: CommandLine): readonly string[] | undefined {
  const [path, ...rest] = [...command, ...args];
  return path?.split("/").at(-1) === program ? rest : undefined;
}
