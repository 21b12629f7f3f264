/**
 * Shapes of SageMaker's inputs that jobs and endpoints share: botocore 1.44.5,
 * `data/sagemaker/2017-07-24/service-2.json`.
 *
 * @module
 */

import { list, required, structure, text } from "./rules.ts";

/** `s3://bucket/...` */
export const s3Uri = text({ max: 1_024, pattern: /(https|s3):\/\/([^/]+)\/?(.*)/ });

/** The ARN of a role that has to be given. */
export const roleArn = required(
  text({
    min: 20,
    max: 2_048,
    pattern: /arn:aws[a-z-]*:iam::\d{12}:role\/?[a-zA-Z_0-9+=,.@\-_/]+/,
  }),
);

/** A key of KMS, by its id, ARN or alias. */
export const kmsKey = text({ max: 2_048, pattern: /[a-zA-Z0-9:/_-]*/ });

const tagText = /[\p{L}\p{Z}\p{N}_.:/=+\-@]*/u;

/** At most 50 tags. */
export const tags = list(
  structure({
    Key: required(text({ min: 1, max: 128, pattern: tagText })),
    Value: required(text({ max: 256, pattern: tagText })),
  }),
  0,
  50,
);

/** Subnets and security groups. */
export const vpc = structure({
  SecurityGroupIds: required(list(text({ max: 32, pattern: /[-0-9a-zA-Z]+/ }), 1, 5)),
  Subnets: required(list(text({ max: 32, pattern: /[-0-9a-zA-Z]+/ }), 1, 16)),
});

/** Of the next page. */
export const pageToken = text({ max: 8_192, pattern: /.*/ });
