# SPDX-License-Identifier: BSD-3-Clause
"""Configuration spaces: R^n, rotation groups and their products.

Examples
--------
>>> import daedalus as dd
>>> space = dd.spaces.euclidean(3) * dd.spaces.so3()
>>> space.points, space.tangents
(12, 6)
"""

from ._daedalus import Space, euclidean, product, s3, s3_semidirect, se3, so3

__all__ = ["Space", "euclidean", "product", "s3", "s3_semidirect", "se3", "so3"]
