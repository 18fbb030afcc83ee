"""Executors under test: scenarios for them, the smallest counterexample of each broken rule, a report card."""

from .card import Counterexample, Mark, ReportCard
from .check import check_engine

__all__ = ["Counterexample", "Mark", "ReportCard", "check_engine"]
