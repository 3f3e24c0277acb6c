"""Runs inside the sandbox, beside the student's code: nothing here is secret, or believed."""
