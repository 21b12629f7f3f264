import os
from types import SimpleNamespace

from support import ContainerTest, HaltServer, ending
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
                "max_body_bytes": 6 * 1024**2,
                "concurrent_predictions": 0,
                "access_log": False,
                "allowed_hosts": [],
            },
        )

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
            ({"MLCLI_ACCESS_LOG": "1"}, "access_log", True),
            ({"MLCLI_ACCESS_LOG": "yes"}, "access_log", True),
            ({"MLCLI_ACCESS_LOG": "0"}, "access_log", False),
            ({"MLCLI_ACCESS_LOG": ""}, "access_log", False),
            ({"MLCLI_ALLOWED_HOSTS": " a.b  c "}, "allowed_hosts", ["a.b", "c"]),
        ]:
            with self.subTest(variables):
                self.assertEqual(getattr(Settings(variables), name), value)
                others = {key: item for key, item in vars(Settings({})).items() if key != name}
                self.assertEqual(
                    {**others, name: value},
                    vars(Settings(variables)),
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
        for name in ("MLCLI_MAX_BODY_MB", "SAGEMAKER_MAX_PAYLOAD_IN_MB"):
            for value in ("-1", "1.5", "many"):
                with self.subTest(name=name, value=value), self.assertRaises(HarnessError) as caught:
                    Settings({name: value})
                self.assertEqual(
                    str(caught.exception),
                    "%s must be 0 (no limit) or a positive integer, not '%s'" % (name, value),
                )


class ServerTest(ContainerTest):
    def server(self, **variables):
        server = Server(Settings(variables))
        self.addCleanup(os.close, server.failure_token)
        self.addCleanup(server.booting.close)
        return server


class Gunicorn(ServerTest):
    def test_is_set_up_by_the_settings(self):
        self.replace(os, "access", lambda path, mode: path == "/dev/shm")
        server = self.server(
            SAGEMAKER_BIND_TO_PORT="9000", MLCLI_WORKERS="2", MLCLI_ACCESS_LOG="1"
        )
        chosen = server.cfg.chosen
        self.assertEqual(chosen.pop("child_exit"), server.look_after_ended_worker)
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
        self.assertEqual((app.model.model, app.warn_large), ("m", True))
        turns = [app.turn.acquire(blocking=False) for _ in range(3)]
        self.assertEqual(turns, [True, True, False])
        self.assertEqual(app.callers.names, {"a.b"})
        # On the platform, whoever reaches it may call.
        self.assertIsNone(self.server().load().callers)
        self.assertFalse(self.server(MLCLI_MAX_BODY_MB="0").load().warn_large)


class FailuresToBoot(ServerTest):
    ARBITER = SimpleNamespace(LISTENERS=["listener"], WORKER_BOOT_ERROR=3)

    def end(self, server, arbiter=ARBITER):
        """(what is said, the exit status), None for a server that goes on."""
        said = []
        self.replace(module, "log", said.append)
        try:
            server.end_if_not_booted(arbiter, worker=None)
        except HaltServer as halt:
            return said, halt.args[1]
        return None

    def test_are_reported_by_the_first_worker_alone(self):
        server = self.server()
        self.assertTrue(server.report_failed())
        self.assertFalse(server.report_failed())
        self.assertEqual(self.end(server), ([], 3))

    def test_without_a_word_are_explained(self):
        said, status = self.end(self.server())
        self.assertEqual(status, 3)
        self.assertEqual(len(said), 1)
        self.assertRegex(said[0], "^mlcli: a worker process died while it loaded the model")

    def test_later_end_nothing(self):
        server = self.server()
        server.report_booted()
        self.assertIsNone(self.end(server))

    def test_of_a_server_that_is_being_stopped_are_none(self):
        self.assertIsNone(self.end(self.server(), SimpleNamespace(LISTENERS=[])))


class Serve(ContainerTest):
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
                os.close(self.failure_token)
                self.booting.close()

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
                os.close(self.failure_token)
                self.booting.close()
                raise SystemExit(0)

        self.replace(module, "Server", Running)
        self.write("/opt/ml/code", "a file")
        code = "def model_fn(d): pass\ndef predict_fn(i, m): pass\n"
        self.write("/opt/program/prediction/serve", code)
        status, said = ending(serve)
        self.assertEqual((status, said.count("mlcli: the code runs as /")), (0, 1))
