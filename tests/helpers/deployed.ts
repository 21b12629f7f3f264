import { assert, assertEquals } from "@std/assert";
import type { Endpoint } from "./box/endpoints/endpoint.ts";
import type { EndpointStore } from "./box/endpoints/endpoint_store.ts";
import type { Deployment } from "./box/endpoints/resource.ts";

export interface Deployed {
  readonly all: readonly string[];
  readonly used: ReadonlySet<string>;
  readonly unused: readonly string[];
}

/** Names of all models and configurations, and of those that the endpoint has or is about to have. */
export function deployed(store: EndpointStore, name: string): Deployed {
  const used = new Set<string>();
  for (const { configuration, variants } of deploymentsOf(store.endpoints.get(name))) {
    used.add(configuration.name);
    for (const { model } of variants) used.add(model.name);
  }
  const all = [...store.models.names, ...store.configurations.names];
  return { all, used, unused: all.filter((one) => !used.has(one)) };
}

/** Fails where what the endpoint serves, or is about to, is not there any more as it was then. */
export function assertWhole(store: EndpointStore, name: string): void {
  for (const { configuration, variants } of deploymentsOf(store.endpoints.get(name))) {
    assert(
      store.configurations.get(configuration.name) === configuration,
      `${configuration.name} is deleted under the endpoint`,
    );
    for (const { model } of variants) {
      assert(store.models.get(model.name) === model, `${model.name} is deleted under the endpoint`);
    }
  }
}

/** Fails where there is anything but an endpoint in service, its configuration and its model. */
export function assertAlone(
  store: EndpointStore,
  name: string,
  { serves, others = [] }: { readonly serves: string; readonly others?: readonly string[] },
): void {
  const endpoint = store.endpoint(name);
  assertEquals(endpoint.status, "InService");
  assertEquals(endpoint.variants.map(({ model }) => model.container.ModelDataUrl), [serves]);
  assertWhole(store, name);
  const { unused } = deployed(store, name);
  assertEquals(unused.filter((one) => !others.includes(one)), [], "more than it serves");
}

function deploymentsOf(endpoint: Endpoint | undefined): readonly Deployment[] {
  return [endpoint?.current, endpoint?.pending].filter((one) => one !== undefined);
}
