"""Question trees: a few questions, one after the other, that lead to a class without a computer."""

from pgm_nb.explain.questions.tree import HeldOut, QuestionTree, question_tree

__all__ = ["HeldOut", "QuestionTree", "question_tree"]
