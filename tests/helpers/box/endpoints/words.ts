/** SageMaker's words for what it refuses, and for what fails (`FailureReason`, from issues of its users). */

import { Refused } from "../service.ts";
import type { Endpoint } from "./endpoint.ts";
import { arnOf, type ResourceKind } from "./resource.ts";

/** What SageMaker calls them in its messages. */
const WORDS: Readonly<Record<ResourceKind, string>> = {
  "model": "model",
  "endpoint-config": "endpoint configuration",
  "endpoint": "endpoint",
};

/** A refusal with the code that SageMaker has for most. */
export function invalid(message: string): Refused {
  return new Refused("ValidationException", message);
}

/** There is none of that name. */
export function notFound(kind: ResourceKind, name: string): Refused {
  return invalid(`Could not find ${WORDS[kind]} "${arnOf(kind, name)}".`);
}

/** There is one of that name. */
export function alreadyThere(kind: ResourceKind, name: string): Refused {
  return invalid(`Cannot create already existing ${WORDS[kind]} "${arnOf(kind, name)}".`);
}

/** Something else goes on; DeleteEndpoint says this, too. */
export function inProgress({ arn }: Endpoint): Refused {
  return invalid(`Cannot update in-progress endpoint "${arn}".`);
}

/** No machine is left. */
export const NO_CAPACITY =
  "Unable to provision requested ML compute capacity due to InsufficientInstanceCapacity " +
  "error. Please retry using a different ML instance type or after some time.";

/** The image is not there any more. */
export function noImage(variant: string): string {
  return `Please make sure all images included in the model for the production variant ${variant} ` +
    "exist, and that the execution role used to create the model has permissions to access them.";
}

/** IAM does not let the role have it. */
export function noPull(role: string, image: string): string {
  return `The role '${role}' does not have BatchGetImage permission for the image: '${image}'.`;
}

/** The artifact is not there any more. */
export function noModelData(url: string): string {
  return `Failed to download model data for container "container_1" from URL: "${url}". Please ` +
    "ensure that there is an object located at the URL and that the role passed to CreateModel has " +
    "permissions to download the object.";
}

/** The artifact is no archive. */
export function noArchive(url: string): string {
  return `Failed to extract model data archive for container "container_1" from URL "${url}". ` +
    "Please ensure that the object located at the URL is a valid tar.gz archive.";
}

/** There is no such program in the image, or none for this machine. */
export function noStart(variant: string): string {
  return `CannotStartContainerError. Please ensure the model container for variant ${variant} ` +
    "starts correctly when invoked with 'docker run <image> serve'.";
}

/** Not one healthy answer in time. */
export function noPing(variant: string): string {
  return `The primary container for production variant ${variant} did not pass the ping health ` +
    "check. Please check CloudWatch logs for this endpoint.";
}

/** An alarm rang while traffic went over. (The words are the box's own.) */
export function alarmed(alarms: readonly string[]): string {
  return `One or more configured alarm(s) have gone into alarm state: [${alarms.join(", ")}].`;
}
