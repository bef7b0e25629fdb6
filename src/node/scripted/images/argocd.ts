import type { FieldsOf } from "../../../machinery/meta/received.js";
import type { ObjectMeta } from "../../../machinery/meta/object.js";
import type { JsonObject } from "../../../machinery/meta/json.js";
import type { Program, ProgramIo } from "../program.js";
import { isNotFound, PodApi, secretOf, secretPath, secretValue } from "./pod-api.js";

const LETTERS = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz-";
const PASSWORD_LENGTH = 16;
const REDIS = { name: "argocd-redis", key: "auth" };
const ADMIN = { name: "argocd-initial-admin-secret", key: "password" };

/** `argocd admin redis-initial-password`: creates a Secret with a password for Redis, unless it exists. */
export const redisInitialPassword =
  (random: (bytes: number) => Uint8Array): Program =>
  (io) =>
    orFatal(io, async () => {
      const { name, key } = REDIS;
      const api = PodApi.open(io);
      const { namespace } = api;
      const place = `${namespace}/${name} at key ${key}`;
      await io.stdout.write(`Checking for initial Redis password in secret ${place}. \n`);
      await createOnce(api, name, key, random);
      await io.stdout.write(`Argo CD Redis secret state confirmed: secret name ${name}.\n`);
      const secret = await api.get(secretPath(namespace, name));
      if (secretValue(secret, key) === undefined) throw new Error(`key ${key} doesn't exist in secret ${name}. \n`);
      await io.stdout.write("Password secret is configured properly.\n");
    });

/**
 * Does what argocd-server does at its first start: it creates a Secret with the administrator's password. Nothing in this cluster
 * asks for the password.
 */
export const adminInitialPassword =
  (random: (bytes: number) => Uint8Array): Program =>
  (io) =>
    orFatal(io, async () => {
      const api = PodApi.open(io);
      if (await hasAdminPassword(api)) return;
      await createOnce(api, ADMIN.name, ADMIN.key, random);
      await io.stdout.write(`Initialized admin password in secret ${api.namespace}/${ADMIN.name}\n`);
    });

/** The administrator has a password of their own where the chart or its user has given one. */
async function hasAdminPassword(api: PodApi): Promise<boolean> {
  try {
    const secret = await api.get(secretPath(api.namespace, "argocd-secret"));
    return secretValue(secret, "admin.password") !== undefined;
  } catch (error) {
    if (isNotFound(error)) return false;
    throw error;
  }
}

async function createOnce(
  api: PodApi,
  name: string,
  key: string,
  random: (bytes: number) => Uint8Array,
): Promise<void> {
  const { namespace } = api;
  const secret: JsonObject = secretOf({ name, namespace } satisfies FieldsOf<ObjectMeta>, {
    [key]: passwordOf(random),
  });
  await api.createOnce(secretPath(namespace), secret);
}

function passwordOf(random: (bytes: number) => Uint8Array): string {
  let password = "";
  // A byte beyond the last multiple of the letters would make some of them likelier.
  const most = 256 - (256 % LETTERS.length);
  while (password.length < PASSWORD_LENGTH) {
    for (const byte of random(PASSWORD_LENGTH)) if (byte < most) password += LETTERS[byte % LETTERS.length];
  }
  return password.slice(0, PASSWORD_LENGTH);
}

async function orFatal(io: ProgramIo, work: () => Promise<void>): Promise<number> {
  try {
    await work();
    return 0;
  } catch (error) {
    const time = `${new Date(io.clock.now()).toISOString().slice(0, 19)}Z`;
    await io.stderr.write(`${JSON.stringify({ level: "fatal", msg: (error as Error).message.trim(), time })}\n`);
    return FATAL;
  }
}

/** What argocd ends with after a general error. */
const FATAL = 20;
