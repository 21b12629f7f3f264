import type { Aws } from "../../aws/aws.ts";
import { orUnknown } from "../../aws/errors.ts";
import type { EndpointDescription, SageMaker } from "../../aws/sagemaker.ts";
import type { AwsOptions } from "../../aws/settings.ts";
import { slotsOf } from "../../contract/names.ts";
import { likelyCause } from "../../contract/failure_causes.ts";
import { MlcliError } from "../../errors.ts";
import { inOneLine, printable, sentences } from "../../text.ts";
import { commandFor } from "../jobs/job.ts";
import type { WaitingHost } from "../connection.ts";
import type { CloudResult } from "../jobs/follow.ts";
import { detailsOf } from "./details.ts";
import { endOfEndpointLog } from "./endpoint_log.ts";
import { type FollowedEndpoint, followEndpoint } from "./follow_endpoint.ts";
import { deletionOf } from "./parts.ts";

/**
 * Waits until an endpoint has settled. The result is its name, or a failure if the endpoint failed or its
 * last update was rolled back.
 *
 * @throws MlcliError if the endpoint was deleted.
 */
export async function waitForEndpoint(
  endpoint: EndpointDescription,
  aws: Aws,
  host: WaitingHost,
  choice: AwsOptions,
): Promise<CloudResult> {
  const { name } = endpoint;
  const sagemaker = await aws.sagemaker();
  const followed = await followEndpoint(name, aws, host, { choice });
  const { outcome, description = endpoint } = followed;
  const described = () => detailsOf(sagemaker, description, host.messages);
  const failed = async (end: FollowedEndpoint): Promise<CloudResult> => {
    return { lines: [], described, failure: await endpointError(name, end, aws, choice) };
  };
  if (outcome === "gone") {
    throw new MlcliError(`Endpoint ${inOneLine(name)} was deleted`, {
      hint: "To create it again, run mlcli deploy",
    });
  }
  if (outcome !== "in service") return await failed(followed);
  // If nothing was changing at first, mlcli has not seen how the last update ended.
  if (endpoint.status === "InService") {
    const lost = await rolledBackUpdate(sagemaker, description);
    if (lost || description.failureReason) {
      return await failed({ ...followed, outcome: "rolled back", began: lost?.time });
    }
  }
  return { lines: [inOneLine(name)], described };
}

/**
 * Returns a configuration that is newer than the one in use and older than the endpoint's last change: most
 * likely that of an update that SageMaker rolled back without a message. (A configuration that was never used
 * is newer than that change.) Returns `undefined` if mlcli has no permission to describe it.
 */
async function rolledBackUpdate(
  sagemaker: Pick<SageMaker, "describeEndpointConfiguration">,
  { name, configuration, lastModifiedTime }: EndpointDescription,
): Promise<{ readonly time: Date } | undefined> {
  const slots = slotsOf(name).map((slot) => slot.configuration);
  if (!slots.includes(configuration) || !lastModifiedTime) return undefined;
  const described = await orUnknown(Promise.all(
    [configuration, ...slots.filter((slot) => slot !== configuration)].map((one) =>
      sagemaker.describeEndpointConfiguration(one)
    ),
  ));
  const [used, other] = (described ?? []).map(({ CreationTime }) => CreationTime);
  return used && other && used < other && other < lastModifiedTime ? { time: other } : undefined;
}

async function endpointError(
  name: string,
  { outcome, description, began }: FollowedEndpoint,
  aws: Pick<Aws, "logs">,
  choice: AwsOptions,
): Promise<MlcliError> {
  const { quote, cause, log } = await failureFacts(name, { description, began }, aws, choice);
  const { status = "", configuration = "" } = description ?? {};
  const [what, remedy] = outcome === "rolled back"
    ? [
      `was rolled back and serves the previous version (${inOneLine(configuration)})`,
      "Fix the cause, then deploy again",
    ]
    : status === "Failed"
    ? ["failed", `Delete the endpoint: ${deletionOf(name, choice)}`]
    : [`is ${inOneLine(status)}`, ""];
  return new MlcliError(`Endpoint ${inOneLine(name)} ${what}`, {
    quote,
    hint: sentences(cause, remedy, log),
  });
}

export interface FailureFacts {
  /** SageMaker's reason, and the end of the log of the instances that began since then. */
  readonly quote: string;
  /** Sentences with the likely cause and the fix. */
  readonly cause: string | undefined;
  /** How to see more of the log: a sentence. */
  readonly log: string;
}

/** Finds out what can be told of a failure, of the log only of instances that `began` since then. */
export async function failureFacts(
  name: string,
  { description, began }: Pick<FollowedEndpoint, "description" | "began">,
  aws: Pick<Aws, "logs">,
  choice: AwsOptions,
): Promise<FailureFacts> {
  const reason = description?.failureReason ?? "";
  const { lines, denial } = await endOfEndpointLog(name, aws, began);
  return {
    quote: [
      printable(reason || "SageMaker gave no reason."),
      ...lines.length > 0 ? ["", "Last log lines:", ...lines] : [],
    ].join("\n"),
    cause: likelyCause({ kind: "serve", reason, log: lines })?.words,
    log: denial !== undefined
      ? `Cannot read the log: ${denial}`
      : lines.length === 0
      ? `${began ? "The new instances" : "The instances"} wrote no log`
      : `See the whole log: ${commandFor(name, choice)("logs")}`,
  };
}
