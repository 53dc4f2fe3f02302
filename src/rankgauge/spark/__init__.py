"""Evaluations on many machines by Spark: the same kernels on the same blocks as on one."""
