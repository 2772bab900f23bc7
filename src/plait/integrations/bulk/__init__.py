"""Folders of Parquet, JSON lines or text annotated partition by partition, on this machine or on a Ray cluster."""

from plait.integrations.bulk.job import Summary, annotate_files

__all__ = ["Summary", "annotate_files"]
