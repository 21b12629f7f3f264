"""The inference server: /ping and /invocations around the app's four functions, under gunicorn."""
