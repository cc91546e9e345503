"""Mutation operators: those of cosmic-ray that give plausible faults, and two of our own."""

import ast
from typing import Any

import parso
from cosmic_ray.operators.operator import Operator
from cosmic_ray.operators.provider import OperatorProvider

# One arithmetic operator for another. Shifts and powers in place of sums mostly raise an error:
# they would be killed by any test, and the rate would look better than the tests are.
_ARITHMETIC = [
    *("Add_Sub", "Add_Mul", "Sub_Add", "Sub_Mul", "Mul_Div", "Mul_Add", "Div_Mul", "Div_Sub"),
    *("FloorDiv_Div", "FloorDiv_Mul", "Mod_Mul", "Pow_Mul", "BitAnd_BitOr", "BitOr_BitAnd"),
]
# The same with its boundary moved, and its negation.
_COMPARISONS = [
    *("Eq_NotEq", "NotEq_Eq", "Lt_LtE", "Lt_GtE", "LtE_Lt", "LtE_Gt"),
    *("Gt_GtE", "Gt_LtE", "GtE_Gt", "GtE_Lt", "Is_IsNot", "IsNot_Is"),
]
_OTHERS = [
    *("AddNot", "ReplaceTrueWithFalse", "ReplaceFalseWithTrue"),
    *("ReplaceAndWithOr", "ReplaceOrWithAnd", "ReplaceBreakWithContinue"),
    *("ReplaceContinueWithBreak", "ExceptionReplacer", "NumberReplacer", "ZeroIterationForLoop"),
]


class ScaleNumber(Operator):
    """A number that is not whole, doubled or halved: tolerances, levels, weights."""

    def mutation_positions(self, node: Any) -> list[tuple[Any, Any]]:
        scaled = node.type == "number" and isinstance(_value(node), float)
        return [(node.start_pos, node.end_pos)] * (2 * scaled)

    def mutate(self, node: Any, index: int) -> Any:
        value = _value(node) * (2.0, 0.5)[index]
        return parso.python.tree.Number(f"{node.prefix}{value!r}", node.start_pos)

    @classmethod
    def examples(cls) -> tuple[()]:
        return ()


class DropKeyword(Operator):
    """A call without one of its keyword arguments: the default in its place."""

    def mutation_positions(self, node: Any) -> list[tuple[Any, Any]]:
        found = [node.children[place] for place in _keywords(node)]
        return [(child.start_pos, child.end_pos) for child in found]

    def mutate(self, node: Any, index: int) -> Any:
        place = _keywords(node)[index]
        if node.type == "trailer":
            del node.children[place]
        elif place == len(node.children) - 1:
            del node.children[place - 1 :]
        else:
            del node.children[place : place + 2]
        return node

    @classmethod
    def examples(cls) -> tuple[()]:
        return ()


def _value(node: Any) -> Any:
    return ast.literal_eval(node.value)


def _keywords(node: Any) -> list[int]:
    """Where a call's keyword arguments stand among the children of a node."""
    if node.type not in {"arglist", "trailer"} or (
        node.type == "arglist" and node.parent.type != "trailer"
    ):
        return []
    return [
        place
        for place, child in enumerate(node.children)
        if child.type == "argument" and child.children[1] == "="
    ]


def operators() -> dict[str, Operator]:
    """Return all operators by name."""
    found: dict[str, Operator] = {"ScaleNumber": ScaleNumber(), "DropKeyword": DropKeyword()}
    names = [f"ReplaceBinaryOperator_{name}" for name in _ARITHMETIC]
    names += [f"ReplaceComparisonOperator_{name}" for name in _COMPARISONS]
    names += [f"ReplaceComparisonOperator_{name}" for name in _COMPARISONS]
    names += [f"ReplaceUnaryOperator_Delete_{name}" for name in ("USub", "Not", "Invert")]
    provider = OperatorProvider()
    return found | {name: provider[name]() for name in [*names, *_OTHERS]}
