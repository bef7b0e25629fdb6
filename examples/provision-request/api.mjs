// The API of ProvisionRequests: a customer gets a namespace with a database. Two versions, validation, and an admission plugin.
import { conversion, boolean, forbidden, kind, required, string, struct } from "kubets/server";

export const GROUP = "provision.mydomain.com";

const spec = struct("ProvisionRequestSpec", {
  ingressEntrance: { schema: string, omitEmpty: false },
  businessDbVolume: { schema: string, default: "MEDIUM", description: "BIG, SMALL or MEDIUM." },
  businessDbCpuLimit: { schema: string, description: "The most that the database may use: 500m." },
  namespaceName: { schema: string, omitEmpty: false },
});
const status = struct("ProvisionRequestStatus", {
  ingressReady: { schema: boolean, omitEmpty: false },
  dbReady: { schema: boolean, omitEmpty: false },
});
const version = () => struct("ProvisionRequest", { spec, status: { schema: status, omitEmpty: false } });
const [v1, v1alpha1] = [version(), version()];

/** The versions have the same fields. Objects are stored as v1alpha1. */
const same = ({ spec, status }) => ({ spec, status });

export const provisionRequests = kind(
  GROUP,
  "ProvisionRequest",
  {
    v1: { schema: v1, conversion: conversion(v1, v1alpha1, { toHub: same, fromHub: same }) },
    v1alpha1,
  },
  { storageVersion: "v1alpha1", validate: problems, strategy: { prepareForStatusUpdate: keepLabels } },
);

/** A write of the status leaves the labels, by which a company is found, as they are. */
function keepLabels(draft, { metadata: { labels } }) {
  const { labels: _, ...metadata } = draft.metadata;
  draft.metadata = { ...metadata, ...(labels && { labels }) };
}

function problems({ spec: { namespaceName = "" } = {} }) {
  return namespaceName === "" ? [required("spec[namespaceName]", "namespace name is required")] : [];
}

/** Refuses a second request of a company, in whichever namespace the first one is. */
export const oneRequest = {
  name: "Provision",
  handles: (operation, { group, resource }) =>
    operation === "CREATE" && group === GROUP && resource === "provisionrequests",
  async validate({ object, name, resource }, { objects }) {
    const company = object.metadata.labels?.company;
    if (company === undefined) return;
    const all = await objects.list(GROUP, "provisionrequests");
    if (all.some(({ metadata }) => metadata.labels?.company === company)) {
      throw forbidden(resource, name, "the company already has provision request");
    }
  },
};
