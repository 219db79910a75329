"""The 6-stage method of order 5 of Cash and Karp: half the price of order 8 where cells are short already.

Coefficients in J. R. Cash and A. H. Karp, ACM Transactions on Mathematical Software 16 (1990) 201–222; all order
conditions, and those of the embedded method of order 4, are checked on import.
"""

from impl.flow.tableau import Tableau

CASH_KARP = Tableau(
    name="Cash–Karp",
    order=5,
    a=(
        {},
        {0: 1 / 5},
        {0: 3 / 40, 1: 9 / 40},
        {0: 3 / 10, 1: -9 / 10, 2: 6 / 5},
        {0: -11 / 54, 1: 5 / 2, 2: -70 / 27, 3: 35 / 27},
        {0: 1631 / 55296, 1: 175 / 512, 2: 575 / 13824, 3: 44275 / 110592, 4: 253 / 4096},
    ),
    b={0: 37 / 378, 2: 250 / 621, 3: 125 / 594, 5: 512 / 1771},
    embedded={
        0: 37 / 378 - 2825 / 27648,
        2: 250 / 621 - 18575 / 48384,
        3: 125 / 594 - 13525 / 55296,
        4: -277 / 14336,
        5: 512 / 1771 - 1 / 4,
    },
    embedded_order=4,
)
