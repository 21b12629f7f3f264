"""What runs inside an app's image, around the user's code. Python 3.8 or later, standard library
only; the server needs gunicorn besides."""
