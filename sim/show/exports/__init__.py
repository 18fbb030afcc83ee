"""Turns as files for other people's tools: Chrome trace events (Perfetto), OpenTelemetry spans, CSV, Parquet."""
