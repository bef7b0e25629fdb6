import { join } from "node:path";
import { PathError } from "../../base/files/path-error.js";
import type { Factory } from "../../cli/connect/factory.js";
import { makeTempFolder, removeTemp } from "../../cli/editing/temp-files.js";
import { readAll } from "../../resource/document-source.js";
import { recordConfiguration } from "../../actions/apply/last-applied.js";
import { deleteObject } from "../../actions/delete-object.js";
import { poll } from "../../actions/wait/poll.js";
import type { DeletedInfo } from "../../actions/wait/wait-until-gone.js";
import { waitForDeletion } from "../../cli/wait-for-deletion.js";
import type { RestClient } from "../../client/rest/rest-client.js";
import { isNotFound } from "../../machinery/errors/status-error.js";
import { deletionLine } from "../../printers/deletion-line.js";
import type { FilenameOptions, Result } from "../../resource/builder.js";
import { Helper } from "../../resource/helper.js";
import { type Info, refresh } from "../../resource/info.js";
import { retrieveWith } from "../../resource/retrieve.js";
import { sleep } from "../../resource/url-source.js";
import type { Deletion, ReplaceOptions } from "./replace.js";

/** Writes stdin to a file that only its owner reads, so that it can be read twice. */
export async function keepStdin(
  factory: Factory,
): Promise<{ readonly path: string; readonly done: () => Promise<void> }> {
  const folder = makeTempFolder("kubectl_replace_", factory);
  const path = join(folder, "resource.stdin");
  try {
    factory.files.writeFileSync(path, await readAll(factory.streams.in));
  } catch (error) {
    removeTemp(folder, factory);
    throw new PathError("open", path, error);
  }
  return { path, done: async () => removeTemp(folder, factory) };
}

const POLL = 1000;
/** How long old objects may take to go when nothing was said, in milliseconds. */
const PATIENCE = 300_000;

/** Deletes all, waits until they are gone, then creates them. */
export async function forceReplace(options: ReplaceOptions, deletion: Deletion): Promise<void> {
  const { files, done } = await filesToKeep(options);
  try {
    await replaceAll(files, options, deletion);
  } finally {
    await done();
  }
}

/** What is read from stdin is read twice. */
async function filesToKeep({
  files,
  keepStdin,
}: ReplaceOptions): Promise<{ readonly files: FilenameOptions; readonly done: () => Promise<void> }> {
  if (!files.filenames.includes("-")) return { files, done: () => Promise.resolve() };
  const { path, done } = await keepStdin();
  const filenames = files.filenames.map((name) => (name === "-" ? path : name));
  return { files: { ...files, filenames }, done };
}

async function replaceAll(files: FilenameOptions, options: ReplaceOptions, deletion: Deletion): Promise<void> {
  const client = await options.client();
  const old = await options.findOld(files);
  old.ignoreErrors(isNotFound);
  await deleteAll(old, client, options, deletion);
  await old.visit((info) => untilGone(info, client, deletion.timeout || PATIENCE));

  const { fieldManager, fieldValidation } = options;
  let count = 0;
  const wanted = await options.find(files);
  await wanted.visit(async (info) => {
    const object = recordConfiguration(info.object ?? {}, options.saveConfig);
    const helper = new Helper(client, info.mapping, { fieldManager, fieldValidation });
    const created = await helper.create(info.namespace, object);
    count++;
    refresh(info, created);
    options.print(created);
  });
  if (count === 0) throw new Error("no objects passed to replace");
}

async function deleteAll(
  old: Result,
  client: RestClient,
  { streams }: ReplaceOptions,
  deletion: Deletion,
): Promise<void> {
  const { propagationPolicy, gracePeriod } = deletion;
  const deleted: DeletedInfo[] = [];
  let found = 0;
  await old.visit(async (info) => {
    found++;
    const uid = await deleteObject(info, new Helper(client, info.mapping), {
      propagationPolicy,
      ...(gracePeriod >= 0 && { gracePeriodSeconds: gracePeriod }),
    });
    deleted.push({ info, uid });
    const namespace = info.mapping.namespaced ? info.namespace : undefined;
    streams.out.write(deletionLine({ kind: info.mapping.kind, name: info.name, namespace }, deletion.output, false));
  });
  if (found === 0) streams.out.write("No resources found\n");
  else if (deletion.wait) {
    await waitForDeletion(deleted, { ...deletion, client });
  }
}

/** Asks once a second. */
async function untilGone(info: Info, client: RestClient, timeout: number): Promise<void> {
  const retrieve = retrieveWith(async () => client);
  const isGone = (): Promise<boolean> =>
    retrieve(info).then(
      () => false,
      (error: unknown) => {
        if (isNotFound(error)) return true;
        throw error;
      },
    );
  if (!(await poll(isGone, { interval: POLL, timeout, sleep }))) throw new Error("context deadline exceeded");
}
