"""Executors under test: scenarios for them, the smallest counterexample of each broken rule, a report card."""
