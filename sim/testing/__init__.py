"""What the pytest plugin (``pytest_interlock``) does where it is used; loaded only then."""
