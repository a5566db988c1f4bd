# SPDX-License-Identifier: Apache-2.0
"""Jobs with something wrong that is known, because it was put there (README.md)."""
