import { assert, assertEquals, assertMatch } from "@std/assert";
import {
  type CauseName,
  CAUSES,
  type Failure,
  likelyCause,
} from "../../../runtime/contract/failure_causes.ts";
import { it, suite } from "../../helpers/suite.ts";

const training = (reason: string, log: readonly string[] = []): Failure => ({
  reason,
  log,
  kind: "train",
  isSpot: false,
});

suite("likelyCause", () => {
  /** Reasons as SageMaker gave them: `FAILURE_CAUSES` has where. */
  const reasons: readonly (readonly [reason: string, cause: CauseName])[] = [
    [
      "CapacityError: Unable to provision requested ML compute capacity. Please retry using a " +
      "different ML instance type.",
      "capacity",
    ],
    [
      "ResourceLimitExceeded: The account-level service limit 'ml.p3.2xlarge for training job " +
      "usage' is 0 Instances",
      "quota",
    ],
    [
      "ClientError: SageMaker was unable to assume the role 'arn:aws:iam::123456789012:role/ml'",
      "role",
    ],
    [
      "ClientError: TrainingHostAgent Initialization failed:InvalidInputException: SageMaker is " +
      "unable to perform: sts:AssumeRole on the role. Check if you have a trust relationship",
      "role",
    ],
    [
      "ClientError: Cannot pull algorithm container. Either the image does not exist or its " +
      "permissions are incorrect.",
      "image",
    ],
    [
      "ClientError: API error (404): manifest for 123456789012.dkr.ecr.eu-west-1.amazonaws.com/" +
      "app:1 not found: manifest unknown: Requested image not found",
      "image",
    ],
    [
      "ClientError: User: arn:aws:sts::123456789012:assumed-role/ml/SageMaker is not authorized " +
      "to perform: ecr:BatchGetImage on resource: arn:aws:ecr:eu-west-1:123456789012:repository/a",
      "image",
    ],
    ["ClientError: Data download failed:Insufficient disk space", "disk"],
    ["ClientError: Artifact upload failed:Insufficient disk space", "disk"],
    ["AlgorithmError: OSError: [Errno 28] No space left on device, exit code: 1", "disk"],
    ["AlgorithmError: , exit code: 137", "memory"],
    ["AlgorithmError: Exit Code: 137", "memory"],
    ["AlgorithmError: ExecuteUserScriptError: MemoryError, exit code: 1", "memory"],
    [
      "ClientError: Please use an instance type with more memory, or reduce the size of job data " +
      "processed on an instance.",
      "memory",
    ],
    [
      "AlgorithmError: RuntimeError: CUDA out of memory. Tried to allocate 2.00 GiB, exit code: 1",
      "GPU memory",
    ],
    [
      "ClientError: Data download failed:Unable to download object s3://b/k (AccessDenied: " +
      "Access Denied)",
      "permission",
    ],
    [
      "ClientError: Data download failed:Failed to download data. S3 key: s3://b//k has an illegal " +
      "char sub-sequence '//' in it",
      "data",
    ],
    ["ClientError: Data download failed:NoSuchBucket: The bucket does not exist", "data"],
    ["InternalServerError: We encountered an internal error. Please try again.", "platform"],
    ["AlgorithmError: Exit Code: 139", "crash"],
    ["AlgorithmError: , exit code: 132", "crash"],
    [
      "AlgorithmError: Exception during training: KeyError: 'label', exit code: 1",
      "code",
    ],
    ["AlgorithmError: ExecuteUserScriptError:", "code"],
    ["MaxRuntimeExceeded", "time limit"],
  ];
  for (const [reason, cause] of reasons) {
    it(`is "${cause}" for: ${reason}`, () => {
      assertEquals(likelyCause(training(reason))?.name, cause);
    });
  }

  const logs: readonly (readonly [line: string, cause: CauseName])[] = [
    ["standard_init_linux.go:219: exec user process caused: exec format error", "architecture"],
    ["exec /opt/mlcli/entrypoint: exec format error", "architecture"],
    ['exec: "train": executable file not found in $PATH', "entry point"],
    ["OSError: [Errno 28] No space left on device", "disk"],
    ["algo-2: MemoryError", "memory"],
    ["torch.cuda.OutOfMemoryError: CUDA out of memory.", "GPU memory"],
    ["algo-1: Traceback (most recent call last):", "code"],
  ];
  for (const [line, cause] of logs) {
    it(`is "${cause}" for the log: ${line}`, () => {
      assertEquals(likelyCause(training("ClientError", ["before", line, "after"]))?.name, cause);
    });
  }

  it("takes what is certain before what is likely", () => {
    const log = ["Traceback (most recent call last):", "MemoryError"];
    assertEquals(likelyCause(training("AlgorithmError: , exit code: 1", log))?.name, "memory");
  });

  it("knows nothing of other words", () => {
    assertEquals(likelyCause(training("ClientError: Something new")), undefined);
    assertEquals(likelyCause(training("")), undefined);
    // Not a Traceback of its own: somebody prints the words.
    assertEquals(likelyCause(training("", ["no Traceback (most recent call last):"])), undefined);
  });

  it("says what fits the job: spot or not, training or processing", () => {
    const capacity = training("CapacityError: Unable to provision");
    assertMatch(likelyCause({ ...capacity, isSpot: true })!.words, /Leave out --spot/);
    assert(!/--spot/.test(likelyCause(capacity)!.words));
    const code = training("AlgorithmError: no, exit code: 1");
    assertMatch(likelyCause(code)!.words, /mlcli local train /);
    assertMatch(likelyCause({ ...code, kind: "process" })!.words, /mlcli local process /);
  });

  it("has a source for each row, and a test for each cause", () => {
    const tested = new Set([...reasons, ...logs].map(([, cause]) => cause));
    for (const { name, source } of CAUSES) {
      assertMatch(source, /https:\/\/|API reference/);
      assert(tested.has(name), `No test of "${name}"`);
    }
  });
});
