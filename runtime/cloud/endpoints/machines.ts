/**
 * What endpoints run on, and so what they cost: of many endpoints at once.
 *
 * @module
 */

import { type AwsError, isRefusal } from "../../aws/errors.ts";
import type { SageMaker } from "../../aws/sagemaker.ts";
import type { EndpointConfigurationDetails } from "../../aws/sagemaker_deployments.ts";
import type { Endpoint } from "../../aws/sagemaker_endpoints.ts";
import { inParallel } from "../in_parallel.ts";
import { type VariantDetails, variantsOf } from "./details.ts";

/** What an endpoint runs on. What is not known is `undefined`. */
export interface Machines {
  /** `ml.m5.large`; where variants have several types, all of them: `ml.m5.large, ml.c5.large`. */
  readonly instanceType: string | undefined;
  /** Of all variants together. */
  readonly instanceCount: number | undefined;
  /** In MB, of a serverless one, which has no instances. */
  readonly memorySize: number | undefined;
}

/** An endpoint of a list, and what it runs on. */
export interface ListedEndpoint extends Endpoint {
  readonly machines?: Machines;
}

/** What is asked of SageMaker. */
type Asked = Pick<SageMaker, "describeEndpoint" | "describeEndpointConfiguration">;

const UNKNOWN: Machines = {
  instanceType: undefined,
  instanceCount: undefined,
  memorySize: undefined,
};

/** Requests at once. */
const REQUESTS_AT_ONCE = 8;

/** Adds to pages of a list what the endpoints run on. */
export class MachinesOfEndpoints {
  /** Several endpoints may have one. */
  readonly #configurations = new Map<string, Promise<EndpointConfigurationDetails | undefined>>();
  #isTold = false;

  /** @param note tells, once, that not all may be asked. */
  constructor(
    private readonly sagemaker: Asked,
    private readonly note: (text: string) => void,
  ) {}

  /** The same endpoints in the same order. */
  async *of(
    pages: AsyncIterable<readonly Endpoint[]>,
  ): AsyncGenerator<readonly ListedEndpoint[]> {
    for await (const page of pages) {
      const found = new Map<Endpoint, Machines>();
      await inParallel(
        each(page),
        REQUESTS_AT_ONCE,
        async (endpoint) => void found.set(endpoint, await this.#machinesOf(endpoint)),
      );
      yield page.map((endpoint) => ({ ...endpoint, machines: found.get(endpoint) ?? UNKNOWN }));
    }
  }

  async #machinesOf({ name }: Endpoint): Promise<Machines> {
    const described = await this.#ask(() => this.sagemaker.describeEndpoint(name));
    if (!described) return UNKNOWN;
    const { configuration } = described;
    const asked = this.#configurations.get(configuration) ??
      this.#ask(() => this.sagemaker.describeEndpointConfiguration(configuration));
    this.#configurations.set(configuration, asked);
    return machinesOf(variantsOf(described, await asked));
  }

  /** `undefined` where it is gone meanwhile, or nobody may ask. */
  async #ask<Answer>(question: () => Promise<Answer>): Promise<Answer | undefined> {
    try {
      return await question();
    } catch (error) {
      if (isRefusal(error, "denied")) this.#tell(error);
      else if (!isRefusal(error, "not found")) throw error;
      return undefined;
    }
  }

  #tell({ message }: AwsError): void {
    if (!this.#isTold) this.note(`The instances of some endpoints are not known: ${message}`);
    this.#isTold = true;
  }
}

/** What variants run on, together. */
export function machinesOf(variants: readonly VariantDetails[]): Machines {
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

async function* each<Item>(items: readonly Item[]): AsyncGenerator<Item> {
  yield* items;
}
