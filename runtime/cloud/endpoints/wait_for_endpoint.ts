/**
 * `wait` of an endpoint: until it has settled.
 *
 * @module
 */

import type { Aws } from "../../aws/aws.ts";
import { AwsError } from "../../aws/errors.ts";
import type { SageMaker } from "../../aws/sagemaker.ts";
import type { EndpointDescription } from "../../aws/sagemaker_endpoints.ts";
import type { AwsOptions } from "../../aws/settings.ts";
import { slotsOf } from "../../contract/names.ts";
import { inOneLine } from "../../text.ts";
import type { JobReport } from "../jobs/report.ts";
import type { WaiterHost } from "../waiter.ts";
import { endpointFailure } from "./failure.ts";
import { followEndpoint } from "./settled.ts";

/**
 * Waits until an endpoint has settled; its name is the result.
 *
 * @param endpoint as it was found.
 * @throws MlcliError where it failed or is gone, and where its last update was taken back.
 */
export async function waitForEndpoint(
  endpoint: EndpointDescription,
  aws: Aws,
  host: WaiterHost,
  report: Pick<JobReport, "note" | "progress" | "result">,
  choice: AwsOptions,
): Promise<void> {
  const settled = await followEndpoint(endpoint.name, aws, host, report, { choice });
  const { outcome, description = endpoint } = settled;
  if (outcome !== "in service") throw await endpointFailure(endpoint.name, settled, aws, choice);
  // Where nothing went on when it was asked first, nobody has seen how the last update ended.
  if (endpoint.status === "InService") {
    const lost = await unused(await aws.sagemaker(), description);
    if (lost || description.failureReason) {
      const since = { ...settled, outcome: "rolled back", began: lost?.time } as const;
      throw await endpointFailure(endpoint.name, since, aws, choice);
    }
  }
  report.result(inOneLine(endpoint.name));
}

/**
 * A configuration of the endpoint that is newer than the one in use, though something was done to
 * the endpoint after it was made: most likely an update that was taken back without a word. (One
 * that was made and never asked for is newer than the endpoint's last change.) Where nobody may look,
 * nothing is known.
 */
async function unused(
  sagemaker: Pick<SageMaker, "describeEndpointConfiguration">,
  { name, configuration, lastModifiedTime }: EndpointDescription,
): Promise<{ readonly time: Date } | undefined> {
  const slots = slotsOf(name).map((slot) => slot.configuration);
  if (!slots.includes(configuration) || !lastModifiedTime) return undefined;
  try {
    const times = await Promise.all(
      [configuration, ...slots.filter((slot) => slot !== configuration)].map(async (one) =>
        (await sagemaker.describeEndpointConfiguration(one)).CreationTime
      ),
    );
    const [used, other] = times;
    return used && other && used < other && other < lastModifiedTime ? { time: other } : undefined;
  } catch (error) {
    if (error instanceof AwsError) return undefined;
    throw error;
  }
}
