"""The operators of a program over trees, from the expression that code was generated for."""

from __future__ import annotations

from xylem.plan.operators import OperatorPlan, Runs
from xylem.run.program import Program
from xylem.syntax import ast

from .of_expression import ExpressionPlanner, Functions
from .scope import Scope


def tree_plan(program: Program) -> OperatorPlan:
    """The operators of a program; for a library module, which has no answer, an empty leaf."""
    planner = ExpressionPlanner(Runs.CODE, program.planned, declared_functions(program.module))
    return OperatorPlan(planner.plan(program.lowered or ast.SequenceExpr(), Scope()))


def declared_functions(module: ast.Module) -> Functions:
    """The functions of a module, by name and number of parameters."""
    return {
        (*declaration.name.expanded, len(declaration.parameters)): declaration
        for declaration in module.prolog
        if isinstance(declaration, ast.FunctionDecl) and declaration.body is not None
    }
