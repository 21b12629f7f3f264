import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import {
  type CauseName,
  CAUSES,
  type Failure,
  likelyCause,
  readOnlyHint,
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
    [
      "AlgorithmError: ModuleNotFoundError: No module named 'sklearn'\n\nTraceback (most recent",
      "module",
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
    ["algo-1: OSError: [Errno 30] Read-only file system: 'm.pkl'", "read-only"],
    // https://github.com/jhao104/proxy_pool/issues/442
    [
      "redis.exceptions.ConnectionError: Error -2 connecting to host.docker.internal:6379. " +
      "Name or service not known.",
      "local host",
    ],
    ["curl: (6) Could not resolve host: host.docker.internal", "local host"],
  ];
  for (const [line, cause] of logs) {
    it(`is "${cause}" for the log: ${line}`, () => {
      assertEquals(likelyCause(training("ClientError", ["before", line, "after"]))?.name, cause);
    });
  }

  const ping = "The primary container for production variant AllTraffic did not pass the ping " +
    "health check. Please check CloudWatch logs for this endpoint.";
  const servers: readonly (readonly [reason: string, log: readonly string[], cause: CauseName])[] =
    [
      [ping, [], "ping"],
      [ping, ['"GET /ping HTTP/1.1" 400 3'], "ping"],
      [ping, ["AllTraffic/i-0123456789abcdef0: Traceback (most recent call last):"], "code"],
      [ping, ["[14] [WARNING] Worker with pid 17 was terminated due to signal 9"], "memory"],
      [ping, ["[14] [ERROR] Worker (pid:17) was sent SIGKILL! Perhaps out of memory?"], "memory"],
      [ping, ["exec /opt/mlcli/entrypoint: exec format error"], "architecture"],
      [
        "Unable to provision requested ML compute capacity due to InsufficientInstanceCapacity " +
        "error. Please retry using a different ML instance type or after some time.",
        [],
        "capacity",
      ],
      [
        "CannotStartContainerError. Please ensure the model container for variant AllTraffic starts " +
        "correctly when invoked with 'docker run <image> serve'",
        [],
        "entry point",
      ],
      [
        'Failed to extract model data archive for container "container_1" from URL "s3://b/m.tar.gz".' +
        " Please ensure that the object located at the URL is a valid tar.gz archive.",
        [],
        "archive",
      ],
      [
        'Failed to download model data for container "container_1" from URL: "s3://b/m.tar.gz". ' +
        "Please ensure that there is an object located at the URL and that the role passed to " +
        "CreateModel has permissions to download the object.",
        [],
        "data",
      ],
      [
        "Please make sure all images included in the model for the production variant AllTraffic " +
        "exist, and that the execution role used to create the model has permissions to access them.",
        [],
        "image",
      ],
      [
        "The role 'arn:aws:iam::1:role/r' does not have BatchGetImage permission for the image: 'x'.",
        [],
        "image",
      ],
      ["Image size 13279248421 is greater than supported size 10737418240", [], "image"],
      [
        'The execution role ARN "arn:aws:iam::1:role/r" is invalid. Please ensure that the role ' +
        'exists and that its trust relationship policy allows the action "sts:AssumeRole".',
        [],
        "role",
      ],
      [
        "Request to service failed. If failure persists after retry, contact customer support.",
        [],
        "platform",
      ],
      [
        "Request to service failed. If failure persists after retry, contact customer support.",
        ["exec format error"],
        "architecture",
      ],
    ];
  for (const [reason, log, cause] of servers) {
    it(`of a server is "${cause}" for: ${[reason, ...log].join(" | ")}`, () => {
      assertEquals(likelyCause({ kind: "serve", reason, log })?.name, cause);
    });
  }

  for (const kind of ["train", "process", "transform"] as const) {
    it(`of a ${kind} on several hosts names a local run on two, if there is one`, () => {
      const failure = { kind, reason: "AlgorithmError: x", log: [], instanceCount: 3 };
      const command = kind === "transform" ? kind : `${kind} --instance-count 2`;
      assertStringIncludes(
        likelyCause(failure)?.words ?? "",
        `locally, run mlcli local ${command}.`,
      );
    });
  }

  it("of a server names no option that only jobs have, and of a job none of servers", () => {
    for (const { kinds, words } of CAUSES) {
      for (const kind of ["serve", "train"] as const) {
        if (kinds && !kinds.includes(kind)) continue;
        const said = typeof words === "string" ? words : words({ kind, reason: "", log: [] });
        const others = kind === "serve"
          ? /--(volume-size|max-run|max-wait|spot)|mlcli local (train|serve)/
          : /--(memory-size-in-mb|health-check-timeout)|\bendpoint/;
        assert(!others.test(said), said);
      }
    }
    assertMatch(likelyCause({ kind: "serve", reason: ping, log: [] })!.words, /mlcli local deploy/);
    const noPing = "AlgorithmError: Model container failed to respond to ping; Ensure /ping";
    const words = likelyCause({ kind: "transform", reason: noPing, log: [] })!.words;
    assertMatch(
      words,
      /GET \/ping on port 8080 did not return 200.*mlcli local transform --strict/,
    );
  });

  it("takes what is certain before what is likely", () => {
    const log = ["Traceback (most recent call last):", "MemoryError"];
    assertEquals(likelyCause(training("AlgorithmError: , exit code: 1", log))?.name, "memory");
  });

  const traceback = (error: string) => [
    "Traceback (most recent call last):",
    '  File "/opt/ml/code/inference.py", line 9, in model_fn',
    error,
  ];
  const handled: Readonly<Record<string, readonly [log: readonly string[], cause: CauseName]>> = {
    // https://github.com/mlflow/mlflow/issues/6793
    "mlflow's warning before another error": [
      [
        "2022/09/14 12:00:56 WARNING mlflow.utils.autologging_utils: Encountered unexpected error " +
        "during autologging: [Errno 30] Read-only file system: '/opt/ml/code/mlruns'",
        ...traceback("KeyError: 'model'"),
      ],
      "code",
    ],
    // https://github.com/imgag/megSAP/issues/332
    "matplotlib's message before another error": [
      [
        "mkdir -p failed for path /opt/ml/code/.config: [Errno 30] Read-only file system: " +
        "'/opt/ml/code/.config'",
        "Matplotlib created a temporary cache directory at /tmp/matplotlib-g1xaigeb",
        ...traceback("KeyError: 'model'"),
      ],
      "code",
    ],
    "a failed import that was logged": [
      [
        ...traceback("ModuleNotFoundError: No module named 'tensorflow'"),
        "falling back to PyTorch",
        ...traceback("KeyError: 'model'"),
      ],
      "code",
    ],
    // https://github.com/rapidsai/deployment/issues/523 has the words as the last error.
    "a batch size that was too large, and was halved": [
      [
        ...traceback("torch.cuda.OutOfMemoryError: CUDA out of memory."),
        "trying batch size 8",
        ...traceback("KeyError: 'model'"),
      ],
      "code",
    ],
    // https://github.com/aws/sagemaker-scikit-learn-container/issues/82
    "a toolkit's error after one of its own": [
      [
        ...traceback("AttributeError: 'NoneType' object has no attribute 'startswith'"),
        "During handling of the above exception, another exception occurred:",
        ...traceback(
          "sagemaker_containers._errors.ImportModuleError: 'NoneType' object has no attribute " +
            "'startswith'",
        ),
      ],
      "code",
    ],
    "a missing module that led to another error": [
      [
        ...traceback("ModuleNotFoundError: No module named 'joblib'"),
        "",
        "The above exception was the direct cause of the following exception:",
        "",
        ...traceback("RuntimeError: cannot load the model"),
      ],
      "module",
    ],
    "NumPy's own MemoryError": [
      traceback("numpy.core._exceptions._ArrayMemoryError: Unable to allocate 7.45 GiB"),
      "memory",
    ],
    "gunicorn's line below a traceback": [
      [
        ...traceback("KeyError: 3"),
        "[14] [WARNING] Worker with pid 17 was terminated due to signal 9",
      ],
      "memory",
    ],
    "a full disk in a shell script": [
      ["tar: model.bin: Cannot write: No space left on device"],
      "disk",
    ],
  };
  for (const [title, [log, cause]] of Object.entries(handled)) {
    it(`likelyCause judges by the last exception: ${title}`, () => {
      assertEquals(likelyCause({ kind: "serve", reason: ping, log })?.name, cause);
    });
  }

  it("knows nothing of other words", () => {
    assertEquals(likelyCause(training("ClientError: Something new")), undefined);
    assertEquals(likelyCause(training("")), undefined);
    // Not a Traceback of its own: somebody prints the words.
    assertEquals(likelyCause(training("", ["no Traceback (most recent call last):"])), undefined);
  });

  it("says what fits the job: spot or not, training or processing", () => {
    const capacity = training("CapacityError: Unable to provision");
    assertMatch(likelyCause({ ...capacity, isSpot: true })!.words, /Omit --spot/);
    assert(!/--spot/.test(likelyCause(capacity)!.words));
    const code = training("AlgorithmError: no, exit code: 1");
    assertMatch(likelyCause(code)!.words, /mlcli local train\./);
    assertMatch(likelyCause({ ...code, kind: "process" })!.words, /mlcli local process\./);
  });

  it("names the requirement that has a module", () => {
    const log = ["algo-1: ModuleNotFoundError: No module named 'cv2'", "the end"];
    assertEquals(
      likelyCause(training("AlgorithmError: , exit code: 1", log))?.words,
      "The image has no package opencv-python-headless. Add it to the requirements, then run " +
        "mlcli build and mlcli push.",
    );
  });

  // https://setuptools.pypa.io/en/stable/history.html#v82-0-0
  it("likelyCause names the last setuptools that has pkg_resources", () => {
    const log = ["ModuleNotFoundError: No module named 'pkg_resources'"];
    assertEquals(
      likelyCause(training("AlgorithmError: , exit code: 1", log))?.words,
      "The image has no module pkg_resources. Add setuptools<82 to the requirements, then run " +
        "mlcli build and mlcli push.",
    );
  });

  const modules: readonly (readonly [module: string, words: string])[] = [
    ["jobblib", "Did you mean joblib? If it is your own module, put it in common/jobblib.py."],
    [
      "features",
      "If it is your own module, put it in common/features.py. If it belongs to a package, its " +
      "documentation says what to add to the requirements.",
    ],
    [
      "sklearn.cross_validation",
      "Package scikit-learn in the image has no module sklearn.cross_validation. Pin another version in " +
      "the requirements, then run mlcli build and mlcli push.",
    ],
  ];
  for (const [module, words] of modules) {
    it(`names no package to install for ${module}`, () => {
      const log = [`ModuleNotFoundError: No module named '${module}'`];
      assertEquals(likelyCause(training("AlgorithmError: , exit code: 1", log))?.words, words);
    });
  }

  const keep = "Write temporary files to /tmp.";
  const READ = "The input is read-only; use --copy-inputs for a writable copy, as on SageMaker. ";
  const model = READ + "Write the model to model_save_path " +
    `(/opt/ml/model) and other results to SM_OUTPUT_DATA_DIR (/opt/ml/output/data). ${keep}`;
  const results = READ + "Write results to " +
    `/opt/ml/processing/output. ${keep}`;
  const none = "A server's code and model are read-only, locally and on SageMaker. " + keep;
  const closed: readonly (readonly [kind: Failure["kind"], path: string, words?: string])[] = [
    ["train", "/opt/ml/code/cache", model],
    ["train", "/opt/ml/input/data/training/a.csv", model],
    ["train", "/opt/program/common/x", model],
    // The code runs in its directory.
    ["train", "model.pkl", model],
    ["train", "out/model.pkl", model],
    ["process", "/opt/ml/processing/input/a", results],
    ["process", "/opt/ml/config/x", results],
    ["serve", "/opt/ml/model/cache", none],
    ["serve", "/opt/ml/code/cache", none],
    ["serve", "cache", none],
    // There, something else is the matter.
    ["train", "/opt/ml/model/m"],
    ["train", "/opt/ml/coded"],
    ["process", "/opt/ml/processing/output/a"],
    ["process", "/opt/ml/model/m"],
    ["serve", "/etc/x"],
  ];
  for (const [kind, path, words] of closed) {
    it(`says where to write in place of ${path}: ${kind}`, () => {
      const line = `OSError: [Errno 30] Read-only file system: '${path}'`;
      assertEquals(likelyCause({ kind, reason: "", log: ["before", line, "after"] })?.words, words);
      assertEquals(readOnlyHint({ kind, reason: line, log: [] }), words);
    });
  }

  it("says nothing of writing where something else is the matter", () => {
    assertEquals(readOnlyHint(training("AlgorithmError: KeyError: 3")), undefined);
  });

  it("has a source for each row, and a test for each cause", () => {
    const tested = new Set([...reasons, ...logs, ...servers].map((row) => row.at(-1)));
    for (const { name, source } of CAUSES) {
      assertMatch(source, /https:\/\/|API reference/);
      assert(tested.has(name), `No test of "${name}"`);
    }
  });
});
