/**
 * The form of an AWS region: `eu-west-1`, `us-gov-west-1`, `eusc-de-east-1` (botocore 1.44.5,
 * `data/partitions.json`, for all partitions). A region becomes part of a host's name.
 */
export const REGION = /^[a-z]{2,4}(-[a-z]{1,20}){1,3}-\d{1,2}$/;
