/** A box with what endpoints need, and what is asked of it, for the tests of its endpoints. */

import { assertEquals } from "@std/assert";
import { ask } from "../../helpers/box/ask.ts";
import { Box } from "../../helpers/box/box.ts";
import { putImage } from "../../helpers/box/images.ts";
import { EXECUTION_ROLE } from "../../helpers/box/jobs/job_store.ts";

// deno-lint-ignore no-explicit-any
export type Fields = Record<string, any>;

/** Begin of the ARNs. */
export const ARN = "arn:aws:sagemaker:eu-west-1:123456789012";

/** An image, an artifact; with `names` also a model `m` and configurations of these names. */
export class Hosting implements AsyncDisposable {
  private constructor(readonly box: Box, readonly image: string) {}

  static async open(...names: readonly string[]): Promise<Hosting> {
    const box = await Box.open();
    const digest = await putImage(box.ecr, box.ecr.store.add("app"), { tag: "latest" });
    box.s3.createBucket("data");
    await box.s3.put("data", "model.tar.gz", "x");
    const hosting = new Hosting(box, `${box.ecr.front.host}/app@${digest}`);
    if (names.length > 0) await hosting.done("CreateModel", hosting.model());
    for (const name of names) await hosting.done("CreateEndpointConfig", configuration(name));
    return hosting;
  }

  /** Asks, and it goes well. */
  async done(operation: string, input: Fields = {}): Promise<Fields> {
    const { body, error } = await ask(this.box, "sagemaker", operation, input);
    assertEquals(error, undefined, JSON.stringify(body));
    return body;
  }

  /** Asks, and it is refused: `CODE: MESSAGE`. */
  async refused(operation: string, input: Fields): Promise<string> {
    const { body, error } = await ask(this.box, "sagemaker", operation, input);
    return `${error}: ${body.message ?? body.Message}`;
  }

  /** Statuses, and what serves: what so many DescribeEndpoints say. */
  async statuses(name: string, count: number): Promise<string[]> {
    const seen: string[] = [];
    for (let round = 0; round < count; round++) {
      const { body, error } = await ask(this.box, "sagemaker", "DescribeEndpoint", {
        EndpointName: name,
      });
      seen.push(error ?? `${body.EndpointStatus} ${body.EndpointConfigName}`);
    }
    return seen;
  }

  /** An endpoint that is in service. */
  async serving(name: string, configuration: string): Promise<void> {
    await this.done("CreateEndpoint", { EndpointName: name, EndpointConfigName: configuration });
    await this.statuses(name, 1);
  }

  /** Input of CreateModel. */
  model(more: Fields = {}): Fields {
    return {
      ModelName: "m",
      PrimaryContainer: { Image: this.image, ModelDataUrl: "s3://data/model.tar.gz" },
      ExecutionRoleArn: EXECUTION_ROLE,
      ...more,
    };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.box[Symbol.asyncDispose]();
  }
}

/** Input of CreateEndpointConfig. */
export function configuration(name: string, variant: Fields = {}, more: Fields = {}): Fields {
  return {
    EndpointConfigName: name,
    ProductionVariants: [{
      VariantName: "AllTraffic",
      ModelName: "m",
      InitialInstanceCount: 1,
      InstanceType: "ml.m5.large",
      ...variant,
    }],
    ...more,
  };
}

/** A variant without instances. */
export const SERVERLESS: Fields = {
  InitialInstanceCount: undefined,
  InstanceType: undefined,
  ServerlessConfig: { MemorySizeInMB: 2_048, MaxConcurrency: 5 },
};
