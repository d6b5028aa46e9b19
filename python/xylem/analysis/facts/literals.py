"""Literals: the expressions that are their own value."""

from __future__ import annotations

from xylem.syntax import ast

LITERALS = (ast.StringLiteral, ast.IntegerLiteral, ast.DecimalLiteral, ast.DoubleLiteral)
