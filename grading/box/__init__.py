"""What runs inside the sandbox, beside the student's code. Nothing here is secret, and nothing it says is believed."""
