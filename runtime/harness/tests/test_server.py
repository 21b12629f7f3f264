import gc
import json
import os
import resource
import signal
import threading
from unittest import mock

from support import ContainerTest, ending
from mlcli_harness.failure import HarnessError
from mlcli_harness.serving import server as module
from mlcli_harness.serving.model import load_model
from mlcli_harness.serving.server import Server, Settings, serve


class SettingsOfTheEnvironment(ContainerTest):
    def setUp(self):
        super().setUp()
        self.replace(os, "sched_getaffinity", lambda process: {0, 1, 2})

    def test_have_defaults(self):
        self.assertEqual(
            vars(Settings({})),
            {
                "port": 8080,
                "workers": 3,
                "max_body_bytes": 1024**3,
                "unfinished_bytes": 1280 * 1024**2,
                "concurrent_predictions": 0,
                "is_transform": False,
                "execution_parameters": {
                    "MaxConcurrentTransforms": 3,
                    "BatchStrategy": "MULTI_RECORD",
                    "MaxPayloadInMB": 6,
                },
                "preload": False,
                "access_log": False,
                "allowed_hosts": [],
            },
        )

    def test_of_bodies_depend_on_the_memory(self):
        mb = 1024**2
        for memory, variables, largest, unfinished in [
            (None, {}, 1024, 256),
            (8192 * mb, {}, 1024, 256),
            (3000 * mb, {}, 750, 125),
            (512 * mb, {"MLCLI_WORKERS": "1"}, 128, 64),
            (512 * mb, {"MLCLI_WORKERS": "2"}, 128, 32),
            # Who says how large a body may be, knows.
            (512 * mb, {"MLCLI_WORKERS": "2", "MLCLI_MAX_BODY_MB": "900"}, 900, 32),
            (mb, {"MLCLI_WORKERS": "1"}, 1, 0.125),
        ]:
            with self.subTest(memory=memory, variables=variables):
                settings = Settings(variables, memory)
                self.assertEqual(settings.max_body_bytes, largest * mb)
                self.assertEqual(settings.unfinished_bytes, (largest + unfinished) * mb)

    def test_are_read(self):
        for variables, name, value in [
            ({"SAGEMAKER_BIND_TO_PORT": "9000"}, "port", 9000),
            ({"MLCLI_WORKERS": "5"}, "workers", 5),
            ({"MLCLI_WORKERS": " 5\n"}, "workers", 5),
            ({"SAGEMAKER_MODEL_SERVER_WORKERS": "7"}, "workers", 7),
            ({"MLCLI_WORKERS": "5", "SAGEMAKER_MODEL_SERVER_WORKERS": "7"}, "workers", 5),
            ({"MLCLI_WORKERS": "", "SAGEMAKER_MODEL_SERVER_WORKERS": "7"}, "workers", 7),
            ({"MLCLI_WORKERS": " "}, "workers", 3),
            ({"MLCLI_MAX_BODY_MB": "1"}, "max_body_bytes", 1024**2),
            ({"SAGEMAKER_MAX_PAYLOAD_IN_MB": "100"}, "max_body_bytes", 100 * 1024**2),
            (
                {"MLCLI_MAX_BODY_MB": "2", "SAGEMAKER_MAX_PAYLOAD_IN_MB": "100"},
                "max_body_bytes",
                2 * 1024**2,
            ),
            ({"SAGEMAKER_MAX_PAYLOAD_IN_MB": "0"}, "max_body_bytes", 0),
            (
                {"MLCLI_MAX_BODY_MB": "0", "SAGEMAKER_MAX_PAYLOAD_IN_MB": "100"},
                "max_body_bytes",
                0,
            ),
            ({"MLCLI_CONCURRENT_PREDICTIONS": "1"}, "concurrent_predictions", 1),
            ({"SAGEMAKER_BATCH": "true"}, "is_transform", True),
            ({"MLCLI_PRELOAD": "1"}, "preload", True),
            ({"MLCLI_PRELOAD": " 1\n"}, "preload", True),
            ({"MLCLI_PRELOAD": "0"}, "preload", False),
            ({"MLCLI_PRELOAD": ""}, "preload", False),
            ({"MLCLI_ACCESS_LOG": "1"}, "access_log", True),
            ({"MLCLI_ACCESS_LOG": "yes"}, "access_log", True),
            ({"MLCLI_ACCESS_LOG": "0"}, "access_log", False),
            ({"MLCLI_ACCESS_LOG": ""}, "access_log", False),
            ({"MLCLI_ALLOWED_HOSTS": " a.b  c "}, "allowed_hosts", ["a.b", "c"]),
        ]:
            with self.subTest(variables):
                self.assertEqual(getattr(Settings(variables), name), value)
                others = {key: item for key, item in vars(Settings({})).items() if key != name}
                # It follows from the others.
                others["unfinished_bytes"] = Settings(variables).unfinished_bytes
                others["execution_parameters"] = Settings(variables).execution_parameters
                self.assertEqual(
                    {**others, name: value},
                    vars(Settings(variables)),
                )

    def test_for_a_transform_job_are_what_the_server_and_sagemaker_allow(self):
        workers = {"MLCLI_WORKERS": "4"}
        for variables, concurrent, payload in [
            (workers, 4, 6),
            ({**workers, "MLCLI_MAX_BODY_MB": "6"}, 4, 6),
            ({**workers, "MLCLI_MAX_BODY_MB": "0"}, 4, 6),
            ({"MLCLI_WORKERS": "1"}, 1, 6),
            ({"MLCLI_WORKERS": "1", "MLCLI_MAX_BODY_MB": "50"}, 1, 50),
            ({"MLCLI_WORKERS": "20"}, 20, 5),
            ({"MLCLI_WORKERS": "100"}, 100, 1),
            ({"MLCLI_WORKERS": "192"}, 100, 1),
            # What the job's request says stands, and the rest fits it.
            ({**workers, "SAGEMAKER_MAX_CONCURRENT_TRANSFORMS": "10"}, 10, 6),
            ({**workers, "SAGEMAKER_MAX_CONCURRENT_TRANSFORMS": "0"}, 4, 6),
            ({**workers, "SAGEMAKER_MAX_PAYLOAD_IN_MB": "6"}, 4, 6),
            ({**workers, "SAGEMAKER_MAX_PAYLOAD_IN_MB": "40"}, 2, 40),
            ({**workers, "SAGEMAKER_MAX_PAYLOAD_IN_MB": "100"}, 1, 100),
            ({**workers, "SAGEMAKER_MAX_PAYLOAD_IN_MB": "200"}, 1, 100),
            ({**workers, "SAGEMAKER_MAX_PAYLOAD_IN_MB": "0"}, 4, 6),
            ({**workers, "SAGEMAKER_MAX_CONCURRENT_TRANSFORMS": "500"}, 500, 1),
        ]:
            with self.subTest(variables):
                self.assertEqual(
                    Settings(variables).execution_parameters,
                    {
                        "MaxConcurrentTransforms": concurrent,
                        "BatchStrategy": "MULTI_RECORD",
                        "MaxPayloadInMB": payload,
                    },
                )

    def test_that_are_no_number_are_named(self):
        for name in (
            "SAGEMAKER_BIND_TO_PORT",
            "MLCLI_WORKERS",
            "SAGEMAKER_MODEL_SERVER_WORKERS",
            "MLCLI_CONCURRENT_PREDICTIONS",
        ):
            for value in ("0", "-1", "1.5", "many", "1e3", "+1", "1_0"):
                with self.subTest(name=name, value=value), self.assertRaises(HarnessError) as caught:
                    Settings({name: value})
                self.assertEqual(
                    str(caught.exception), "%s must be a positive integer, not '%s'" % (name, value)
                )
        for name in (
            "MLCLI_MAX_BODY_MB",
            "SAGEMAKER_MAX_PAYLOAD_IN_MB",
            "SAGEMAKER_MAX_CONCURRENT_TRANSFORMS",
        ):
            for value in ("-1", "1.5", "many"):
                with self.subTest(name=name, value=value), self.assertRaises(HarnessError) as caught:
                    Settings({name: value})
                self.assertEqual(
                    str(caught.exception),
                    "%s must be 0 (no limit) or a positive integer, not '%s'" % (name, value),
                )

    def test_that_are_no_switch_are_named(self):
        for value in ("yes", "2", "true", "01"):
            with self.subTest(value), self.assertRaises(HarnessError) as caught:
                Settings({"MLCLI_PRELOAD": value})
            self.assertEqual(
                str(caught.exception), "MLCLI_PRELOAD must be 0 or 1, not '%s'" % value
            )


def close_tokens(server):
    for token in (server.failure_token, server.none_token):
        for end in token.pipe:
            os.close(end)


class ServerTest(ContainerTest):
    def server(self, **variables):
        server = Server(Settings(variables))
        self.addCleanup(close_tokens, server)
        return server


class Gunicorn(ServerTest):
    def test_is_set_up_by_the_settings(self):
        self.replace(os, "access", lambda path, mode: path == "/dev/shm")
        server = self.server(
            SAGEMAKER_BIND_TO_PORT="9000", MLCLI_WORKERS="2", MLCLI_ACCESS_LOG="1"
        )
        chosen = server.cfg.chosen
        self.assertEqual(
            chosen,
            {
                "bind": "0.0.0.0:9000",
                "workers": 2,
                "worker_class": "mlcli_harness.serving.worker.PredictionWorker",
                "timeout": 240,
                "graceful_timeout": 25,
                "accesslog": "-",
                "loglevel": "warning",
                "worker_tmp_dir": "/dev/shm",
            },
        )

    def test_logs_no_requests_and_takes_a_disk_where_nothing_else_is_to_be_had(self):
        self.replace(os, "access", lambda path, mode: False)
        chosen = self.server().cfg.chosen
        self.assertEqual((chosen["accesslog"], chosen["worker_tmp_dir"]), (None, None))

    def test_gets_an_application_with_the_model_and_the_limits(self):
        self.write("/opt/program/prediction/serve", "def model_fn(d): return 'm'\ndef predict_fn(d, m): pass")
        app = self.server(
            MLCLI_MAX_BODY_MB="1", MLCLI_CONCURRENT_PREDICTIONS="2", MLCLI_ALLOWED_HOSTS="A.b"
        ).load()
        self.assertEqual((app.model.model, app.warns), ("m", True))
        self.assertEqual(json.loads(app.execution_parameters)["MaxPayloadInMB"], 1)
        turns = [app.turn.acquire(blocking=False) for _ in range(3)]
        self.assertEqual(turns, [True, True, False])
        self.assertEqual(app.callers.names, {"a.b"})
        # On SageMaker, whoever reaches it may call.
        self.assertIsNone(self.server().load().callers)
        self.assertFalse(self.server(SAGEMAKER_BATCH="true").load().warns)


class Failures(ServerTest):
    def test_are_told_by_one_worker_of_each_round(self):
        server = self.server()
        self.assertFalse(server.failure_token.take())
        for _ in range(2):
            # One that nobody took is not for two.
            server.failure_token.renew()
            server.failure_token.renew()
            self.assertTrue(server.failure_token.take())
            self.assertFalse(server.failure_token.take())


class ModelWithoutReturn(ServerTest):
    def test_is_reported_by_one_worker(self):
        self.write("/opt/program/prediction/serve", "def model_fn(d): pass\ndef predict_fn(d, m): pass")
        server = self.server()
        logged = []
        self.replace(module, "log", logged.append)
        for _ in range(2):
            self.assertIsNone(server.load().model.model)
        self.assertEqual(
            logged,
            ["mlcli: model_fn returned None, so predict_fn receives None as the model"],
        )


class Preloading(ServerTest):
    def setUp(self):
        super().setUp()
        self.addCleanup(signal.signal, signal.SIGTERM, signal.getsignal(signal.SIGTERM))
        self.frozen = []
        self.replace(gc, "freeze", lambda: self.frozen.append(True))
        self.masters = []
        self.replace(module.ServingArbiter, "__init__", lambda arbiter, server: self.masters.append(server))
        self.replace(module.ServingArbiter, "run", lambda arbiter: None)
        self.said = []
        self.replace(module, "log", self.said.append)
        self.during = None

    def running(self, load, **variables):
        server = self.server(**variables)

        def call():
            self.during = signal.getsignal(signal.SIGTERM)
            return load()

        server.load = call
        server.run()
        self.assertEqual(self.masters, [server])
        return server

    def test_is_done_by_the_master_where_that_is_asked_for(self):
        server = self.running(lambda: "application", MLCLI_PRELOAD="1")
        self.assertEqual((server.preloaded, self.frozen, self.said), ("application", [True], []))
        # No thread of the server's own is left, as none would be in a worker.
        self.assertEqual(threading.active_count(), 1)

    def test_is_left_to_the_workers_otherwise(self):
        server = self.running(lambda: self.fail("loaded"))
        self.assertEqual((server.preloaded, self.frozen), (None, []))

    def test_can_be_ended_at_once(self):
        self.running(lambda: "application", MLCLI_PRELOAD="1")
        self.assertEqual(self.during, signal.SIG_DFL)
        # Process 1 of a container would not be.
        self.masters.clear()
        self.replace(os, "getpid", lambda: 1)
        ended = mock.Mock()
        self.replace(os, "_exit", ended)
        self.running(lambda: "application", MLCLI_PRELOAD="1")
        self.during(signal.SIGTERM, None)
        ended.assert_called_once_with(143)

    def test_that_fails_is_told_once_and_ends_the_server(self):
        for error in (ValueError("no model"), SystemExit("enough")):
            load = mock.Mock(side_effect=error)
            self.assertEqual(ending(lambda: self.running(load, MLCLI_PRELOAD="1")), (3, ""))
            self.assertEqual(len(self.said), 1)
            self.assertIn(str(error), self.said.pop())
        self.assertEqual(self.masters, [])

    def test_warns_of_threads_which_the_workers_will_not_have(self):
        done = threading.Event()
        thread = threading.Thread(target=done.wait, args=(20,))
        self.running(lambda: thread.start() or "application", MLCLI_PRELOAD="1")
        done.set()
        thread.join()
        self.assertEqual(len(self.said), 1)
        self.assertRegex(self.said[0], "^mlcli: the model has threads, .* MLCLI_PRELOAD=1 might not")


class OpenFiles(ContainerTest):
    def test_may_be_as_many_as_the_container_allows(self):
        million, unlimited = 1024**2, resource.RLIM_INFINITY
        for limits, wanted in [
            ((1024, 4096), (4096, 4096)),
            ((1024, million), (million, million)),
            ((1024, 1024**3), (million, 1024**3)),
            ((1024, unlimited), (million, unlimited)),
            ((4096, 4096), None),
            ((1024**3, 1024**3), None),
            ((unlimited, unlimited), None),
        ]:
            with self.subTest(limits):
                chosen = mock.Mock()
                self.replace(resource, "getrlimit", lambda which, limits=limits: limits)
                self.replace(resource, "setrlimit", chosen)
                module.raise_open_files()
                calls = [mock.call(resource.RLIMIT_NOFILE, wanted)] if wanted else []
                self.assertEqual(chosen.call_args_list, calls)


class Serve(ContainerTest):
    def setUp(self):
        super().setUp()
        # The tests keep their own.
        self.replace(module, "raise_open_files", lambda: None)

    def test_says_which_setting_is_wrong_and_ends(self):
        os.environ["MLCLI_WORKERS"] = "many"
        self.assertEqual(
            ending(serve), (1, "mlcli: MLCLI_WORKERS must be a positive integer, not 'many'\n")
        )

    def test_runs_the_server_with_the_paths_in_the_environment(self):
        ran = []

        class Running(Server):
            def run(self):
                ran.append((self.settings.port, os.environ["SM_MODEL_DIR"]))
                close_tokens(self)

        self.replace(module, "Server", Running)
        os.environ["SAGEMAKER_BIND_TO_PORT"] = "9000"
        self.write("/opt/program/prediction/serve", "")
        serve()
        self.assertEqual(ran, [(9000, self.path("/opt/ml/model"))])
        self.assertTrue(os.path.islink(self.path("/opt/ml/code")))

    def test_says_once_where_the_code_is_if_not_as_on_the_platform(self):
        class Running(Server):
            def run(self):
                load_model()
                close_tokens(self)
                raise SystemExit(0)

        self.replace(module, "Server", Running)
        self.write("/opt/ml/code", "a file")
        code = "def model_fn(d): pass\ndef predict_fn(i, m): pass\n"
        self.write("/opt/program/prediction/serve", code)
        status, said = ending(serve)
        self.assertEqual((status, said.count("mlcli: the code runs in /")), (0, 1))
