"""Meeting a budget, for any decoder and any unit, exactly."""

from laconic.budgets.counting import Counting as Counting
from laconic.budgets.lengths import Lengths as Lengths
from laconic.budgets.meeting import Meeting as Meeting
from laconic.budgets.request import Request as Request
from laconic.budgets.search_space import SearchSpace as SearchSpace
from laconic.budgets.texts import Texts as Texts
from laconic.budgets.texts import nearest as nearest
