import { child, children, ensureChild, type Fields, list, setDefault, text } from "../../../machinery/meta/access.js";
import { defaultNames, defaultStoredVersions } from "../policy.js";

/** apiextensions.k8s.io/v1beta1: one version by name and a list of versions are filled in from each other. */
export function defaultBetaCustomResourceDefinition(definition: Fields): void {
  const spec = ensureChild(definition, "spec");
  if (text(spec.scope) === "") spec.scope = "Namespaced";
  defaultNames(spec);
  defaultVersions(spec);
  defaultConversion(spec);
  setDefault(spec, "preserveUnknownFields", true);
  defaultStoredVersions(definition);
}

function defaultVersions(spec: Fields): void {
  if (list(spec.versions).length === 0 && text(spec.version) !== "") {
    spec.versions = [{ name: spec.version, served: true, storage: true }];
  }
  const [first] = children(spec, "versions");
  if (first !== undefined && text(spec.version) === "") spec.version = first.name;
}

function defaultConversion(spec: Fields): void {
  setDefault(spec, "conversion", { strategy: "None" });
  const conversion = child(spec, "conversion");
  if (conversion === undefined) return;
  if (conversion.strategy === "Webhook" && list(conversion.conversionReviewVersions).length === 0) {
    conversion.conversionReviewVersions = ["v1beta1"];
  }
  const service = child(child(conversion, "webhookClientConfig") ?? {}, "service");
  if (service !== undefined) setDefault(service, "port", 443);
}
