"""Tests of the schemas, against definitions read word by word."""
