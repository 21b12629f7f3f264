/**
 * Amazon Elastic Container Registry.
 *
 * @module
 */

import { strangeAnswer } from "./explanations.ts";
import { DescribeRepositoriesCommand, ECRClient } from "./sdk/ecr.ts";
import type { AwsSession } from "./session.ts";
import type { Setting } from "./settings.ts";

/** A repository. */
export interface Repository {
  readonly name: string;
  /** `123456789012.dkr.ecr.eu-west-1.amazonaws.com/churn` */
  readonly uri: string;
}

/** What mlcli asks. Each throws an `AwsError`, or `Interrupted`. */
export interface Ecr {
  /** The region that is asked, and who named it. */
  readonly region: Setting;
  /** `AwsError`, "not found", where there is none of that name. */
  describeRepository(name: string): Promise<Repository>;
}

/**
 * Makes a client; nothing is sent yet.
 * @throws AwsError when no region is named.
 */
export async function openEcr(session: AwsSession): Promise<Ecr> {
  const client = new ECRClient(session.clientConfiguration());
  const region = await session.regionOf(client);
  const options = session.requestOptions;
  return {
    region,
    async describeRepository(name) {
      const { repositories, $metadata } = await session.send(
        "ecr:DescribeRepositories",
        `repository ${name}`,
        region,
        () => client.send(new DescribeRepositoriesCommand({ repositoryNames: [name] }), options),
      );
      const uri = repositories?.[0]?.repositoryUri;
      if (!uri) throw strangeAnswer($metadata.httpStatusCode);
      return { name, uri };
    },
  };
}
