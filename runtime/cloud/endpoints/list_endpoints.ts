import { type AwsError, ifAllowed } from "../../aws/errors.ts";
import type { Endpoint, EndpointConfigurationDetails, SageMaker } from "../../aws/sagemaker.ts";
import type { ListFilter } from "../../aws/sagemaker_jobs.ts";
import type { Setting } from "../../setting.ts";
import type { Messages } from "../../messages.ts";
import { checkNamePart } from "../../contract/names.ts";
import { type CloudChoice, type CloudHost, connectToAws } from "../connection.ts";
import { inParallel, REQUESTS_AT_ONCE } from "../in_parallel.ts";
import { type VariantDetails, variantsOf } from "./details.ts";

/** Settings of `mlcli list-endpoints`, under the names of their options. */
export interface EndpointListing extends CloudChoice, ListFilter {
  /** Whether to read the instances, which takes two more requests for each endpoint. */
  readonly withMachines: boolean;
}

export interface EndpointPages {
  readonly region: Setting<string>;
  /** Newest first; the next page is asked for when it is wanted. */
  readonly pages: AsyncIterable<readonly ListedEndpoint[]>;
}

/**
 * Lists endpoints; the first page is asked for when it is wanted.
 *
 * @throws UsageError when no endpoint's name could contain the filter's text.
 * @throws AwsError when the service refuses.
 */
export async function listEndpoints(
  request: EndpointListing,
  host: CloudHost,
): Promise<EndpointPages> {
  const { nameContains, withMachines } = request;
  if (nameContains !== undefined) checkNamePart(nameContains, "endpoint");
  const sagemaker = await (await connectToAws(request, host)).sagemaker();
  const pages = sagemaker.listEndpoints(request);
  return {
    region: sagemaker.region,
    pages: withMachines ? withTheirMachines(pages, sagemaker, host.messages) : pages,
  };
}

/** Machines of an endpoint. Unknown values are `undefined`. */
export interface Machines {
  /** `ml.m5.large`; all types if the variants have several: `ml.m5.large, ml.c5.large`. */
  readonly instanceType: string | undefined;
  /** Of all variants together. */
  readonly instanceCount: number | undefined;
  /** In MB, for a serverless endpoint, which has no instances. */
  readonly memorySize: number | undefined;
}

export interface ListedEndpoint extends Endpoint {
  readonly machines?: Machines;
}

const UNKNOWN: Machines = {
  instanceType: undefined,
  instanceCount: undefined,
  memorySize: undefined,
};

async function* withTheirMachines(
  pages: AsyncIterable<readonly Endpoint[]>,
  sagemaker: Pick<SageMaker, "describeEndpoint" | "describeEndpointConfiguration">,
  messages: Messages,
): AsyncGenerator<readonly ListedEndpoint[]> {
  /** By name, because several endpoints can have the same configuration. */
  const configurations = new Map<string, Promise<EndpointConfigurationDetails | undefined>>();
  let isDenialTold = false;
  const tellOnce = ({ message }: AwsError): void => {
    if (!isDenialTold) messages.note(`Cannot read the instances of some endpoints: ${message}`);
    isDenialTold = true;
  };
  async function machines({ name }: Endpoint): Promise<Machines> {
    const described = await ifAllowed(sagemaker.describeEndpoint(name), tellOnce);
    if (!described) return UNKNOWN;
    const { configuration } = described;
    const details = configurations.get(configuration) ??
      ifAllowed(sagemaker.describeEndpointConfiguration(configuration), tellOnce);
    configurations.set(configuration, details);
    return machinesOf(variantsOf(described, await details));
  }
  for await (const page of pages) {
    const found = new Map<Endpoint, Machines>();
    await inParallel(
      page,
      REQUESTS_AT_ONCE,
      async (endpoint) => void found.set(endpoint, await machines(endpoint)),
    );
    yield page.map((endpoint) => ({ ...endpoint, machines: found.get(endpoint) ?? UNKNOWN }));
  }
}

function machinesOf(variants: readonly VariantDetails[]): Machines {
  const types = new Set(variants.flatMap(({ instanceType }) => instanceType ?? []));
  const sum = (values: readonly (number | undefined)[]): number | undefined => {
    const known = values.filter((value) => value !== undefined);
    return known.length === 0 ? undefined : known.reduce((one, other) => one + other);
  };
  return {
    instanceType: types.size === 0 ? undefined : [...types].join(", "),
    instanceCount: sum(variants.map((one) => one.instanceCount ?? one.desiredCount)),
    memorySize: sum(variants.map((one) => one.memorySize)),
  };
}
