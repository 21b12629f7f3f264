/**
 * The parts of the SDK's client of STS that mlcli uses.
 *
 * @module
 */

export { GetCallerIdentityCommand, STSClient } from "@aws-sdk/client-sts";
