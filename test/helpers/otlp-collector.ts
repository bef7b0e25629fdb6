import { Server, ServerCredentials } from "@grpc/grpc-js";
import { bytes, integer, message, nested, nesteds, text } from "../../src/server/storage/etcd/protobuf.js";
import { eventually } from "./eventually.js";

/** A span as a collector got it. */
export interface CollectedSpan {
  readonly name: string;
  /** Hexadecimal. */
  readonly traceId: string;
  readonly spanId: string;
  /** "" for a span without a parent. */
  readonly parentId: string;
  /** 1 internal, 2 server, 3 client. */
  readonly kind: number;
  readonly fields: Readonly<Record<string, string | number>>;
  readonly events: readonly string[];
  /** The traces that it is linked to. */
  readonly links: readonly string[];
  /** Of the program that sent it. */
  readonly resource: Readonly<Record<string, string | number>>;
}

export interface OtlpCollector extends AsyncDisposable {
  /** "127.0.0.1:4317" */
  readonly endpoint: string;
  readonly spans: CollectedSpan[];
  /** Waits for a span of this name. */
  find(name: string, isMeant?: (span: CollectedSpan) => boolean): Promise<CollectedSpan>;
}

const Value = message({ text: text(1), integer: integer(3) });
const KeyValue = message({ key: text(1), value: nested(2, Value) });
const Event = message({ name: text(2) });
const Link = message({ traceId: bytes(1) });
const Span = message({
  traceId: bytes(1),
  spanId: bytes(2),
  parentId: bytes(4),
  name: text(5),
  kind: integer(6),
  attributes: nesteds(9, KeyValue),
  events: nesteds(11, Event),
  links: nesteds(13, Link),
});
const ScopeSpans = message({ spans: nesteds(2, Span) });
const Resource = message({ attributes: nesteds(1, KeyValue) });
const ResourceSpans = message({ resource: nested(1, Resource), scopes: nesteds(2, ScopeSpans) });
const Export = message({ resources: nesteds(1, ResourceSpans) });

const hex = (id: Uint8Array): string => Buffer.from(id).toString("hex");

const fieldsOf = (pairs: readonly ReturnType<typeof KeyValue.decode>[]): CollectedSpan["fields"] =>
  Object.fromEntries(pairs.map(({ key, value }) => [key, value?.text || value?.integer || ""]));

/** A collector of OTLP over gRPC on the loopback address. */
export async function startOtlpCollector(): Promise<OtlpCollector> {
  const spans: CollectedSpan[] = [];
  const server = new Server();
  const path = "/opentelemetry.proto.collector.trace.v1.TraceService/Export";
  server.addService(
    {
      export: {
        path,
        requestStream: false,
        responseStream: false,
        requestDeserialize: (given: Buffer) => Export.decode(given),
        requestSerialize: () => Buffer.alloc(0),
        responseSerialize: () => Buffer.alloc(0),
        responseDeserialize: () => ({}),
      },
    },
    {
      export(
        call: { readonly request: ReturnType<typeof Export.decode> },
        answer: (error: null, value: object) => void,
      ) {
        for (const { resource, scopes } of call.request.resources) {
          for (const span of scopes.flatMap((scope) => scope.spans)) {
            spans.push({
              name: span.name,
              traceId: hex(span.traceId),
              spanId: hex(span.spanId),
              parentId: hex(span.parentId),
              kind: span.kind,
              fields: fieldsOf(span.attributes),
              events: span.events.map(({ name }) => name),
              links: span.links.map(({ traceId }) => hex(traceId)),
              resource: fieldsOf(resource?.attributes ?? []),
            });
          }
        }
        answer(null, {});
      },
    },
  );
  const port = await new Promise<number>((resolve, reject) => {
    server.bindAsync("127.0.0.1:0", ServerCredentials.createInsecure(), (error, bound) =>
      error === null ? resolve(bound) : reject(error),
    );
  });
  return {
    endpoint: `127.0.0.1:${port}`,
    spans,
    find: (name, isMeant = () => true) =>
      eventually(async () => {
        const found = spans.find((span) => span.name === name && isMeant(span));
        if (found === undefined)
          throw new Error(`no span "${name}" among ${spans.map((span) => span.name).join(", ")}`);
        return found;
      }),
    async [Symbol.asyncDispose]() {
      server.forceShutdown();
    },
  };
}
