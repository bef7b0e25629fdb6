import { dictionary } from "../../base/collections/dictionary.js";
import { DEFAULT_VERSION, gitVersionOf, releaseOf } from "../../api/facts/index.js";
import { apiserverSections } from "../../component/apiserver-flags/sections.js";
import type { Component, ComponentContext } from "../../component/component.js";
import type { FlagSection } from "../../component/component-flag.js";
import { notifySystemd, tellSystemdReady } from "../../component/systemd.js";
import type { Flags } from "../../component/flags/flag-set.js";
import { untilParentEnds } from "../envtest/until-parent-ends.js";
import { logLifeCycle, logSlowRequests, requestLogOf } from "../stages/log-life-cycle.js";
import { gatesWithoutEffect, readFeatureGates, readVersionFlags } from "./feature-gates.js";
import { optionFaults } from "./option-faults.js";
import { readApiServerOptions } from "./options.js";
import { serveApi } from "./serve-api.js";
import { watchCacheWarnings } from "./watch-cache-flags.js";

const NAME = "kube-apiserver";
const DESCRIPTION = `The Kubernetes API server, with the flags of kube-apiserver and without controllers, scheduler and nodes.

A flag that cannot be obeyed is refused, or its help says that it has no effect; the log names each of those that is given.`;

const NO_LOGS =
  "--enable-logs-handler has no effect: the log is on stderr, and --logs-folder names no folder of other logs";

/** `kubets apiserver`: runs until a signal ends it. */
export const apiserverComponent = (): Component => ({
  name: NAME,
  program: "kubets apiserver",
  description: DESCRIPTION,
  version: `Kubernetes ${gitVersionOf(DEFAULT_VERSION)}`,
  sections: apiserverSections,
  changedGates: (flags) => readFeatureGates(flags.strings("feature-gates"), readVersionFlags(flags)).changed,
  validate: (flags, { cwd }) => optionFaults(flags, cwd),
  run,
});

/** What differs in the place of kube-apiserver in tests: it serves this machine alone and stores text that a person can read. */
const STAND_IN_DEFAULTS: Readonly<Record<string, string>> = dictionary({
  "bind-address": "127.0.0.1",
  "enable-priority-and-fairness": "false",
  "allow-privileged": "true",
  "storage-media-type": "application/json",
});

/** The program that Go's envtest starts in place of kube-apiserver. It ends with the process that started it. */
export const standInComponent = (): Component => ({
  ...apiserverComponent(),
  program: NAME,
  description: `kubets in the place of kube-apiserver: ${DESCRIPTION}`,
  sections: apiserverSections.map(withDefaults),
  run: (flags, context) => run(flags, { ...context, signal: untilParentEnds(context.signal) }),
});

const withDefaults = ({ name, flags }: FlagSection): FlagSection => ({
  name,
  flags: flags.map((flag) => {
    const own = STAND_IN_DEFAULTS[flag.name];
    return own === undefined ? flag : { ...flag, default: own };
  }),
});

async function run(flags: Flags, { log, cwd, env, signal, flagValues }: ComponentContext): Promise<void> {
  const options = readApiServerOptions(flags, cwd);
  const { version, gitVersion } = await releaseOf(options.server.kubernetesVersion);
  log.info("app/server.go:180", `Version: ${gitVersion}`);
  for (const gate of gatesWithoutEffect(flags.strings("feature-gates"), options.server)) {
    log.warn(
      "featuregate/feature_gate.go:352",
      `--feature-gates=${gate} has no effect: features are as Kubernetes ${version} has them`,
    );
  }
  for (const text of watchCacheWarnings(flags)) log.warn("options/etcd.go:447", text);
  if (flags.string("external-hostname") === "") {
    log.info("options/options.go:263", `external host was not specified, using ${options.externalHost}`);
  }
  const reportError = (error: unknown): void => log.error("cli/run.go:72", "Unhandled Error", error);
  const warn = (text: string): void => log.warn("options/options.go:100", text);
  const onLifeCycle = logLifeCycle(log);
  const { logsFolder, ...shown } = options.server.monitoring ?? {};
  const { servesLogs } = options;
  if (servesLogs && logsFolder === undefined) warn(NO_LOGS);
  const monitoring = {
    ...shown,
    countsFromStart: true,
    flags: flagValues,
    setVerbosity: log.setVerbosity,
    requestLog: requestLogOf(log),
    ...(servesLogs && logsFolder !== undefined && { logsFolder }),
  };
  const tracing = { ...options.server.tracing, ...logSlowRequests(log) };
  const given = { ...options, server: { ...options.server, monitoring, tracing } };
  const server = await serveApi({ ...given, reportError, warn, onLifeCycle, signal }).catch((error: unknown) => {
    if (!signal.aborted) throw error;
  });
  // A signal during the start ends kube-apiserver well too.
  if (server === undefined) return;
  const { host } = new URL(server.url);
  log.info("server/secure_serving.go:211", `Serving securely on ${host}`);
  await tellSystemdReady(env, log);
  if (!signal.aborted) {
    await new Promise<void>((done) => signal.addEventListener("abort", () => done(), { once: true }));
  }
  await Promise.all([notifySystemd("STOPPING=1", env), server.close()]);
  log.info("server/secure_serving.go:262", `Stopped listening on ${host}`);
}
