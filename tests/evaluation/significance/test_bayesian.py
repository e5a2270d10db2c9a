import numpy as np
import pytest
from scipy import stats

from nearkin.evaluation.significance import corrected_paired_t, correlated_t_chances

RNG = np.random.default_rng(0)


def test_chances_are_areas_of_the_posterior():
    first, second = RNG.normal(0.83, 0.02, 20), RNG.normal(0.80, 0.02, 20)
    better, same, worse = correlated_t_chances(first, second, 1 / 9, rope=0.01)
    differences = first - second
    # Corani and Benavoli: rho = n_test / n, scale^2 = (1/n + rho / (1 - rho)) s^2.
    scale = np.sqrt((1 / 20 + 0.1 / 0.9) * differences.var(ddof=1))
    posterior = stats.t(19, differences.mean(), scale)
    assert better == pytest.approx(posterior.sf(0.01))
    assert worse == pytest.approx(posterior.cdf(-0.01))
    assert same == pytest.approx(posterior.cdf(0.01) - posterior.cdf(-0.01))
    assert better + same + worse == pytest.approx(1.0)


def test_without_a_region_it_is_the_one_sided_t_test():
    first, second = RNG.normal(0.81, 0.02, 10), RNG.normal(0.80, 0.02, 10)
    test = corrected_paired_t(first, second, 1 / 9)
    found = correlated_t_chances(first, second, 1 / 9, rope=0.0)
    assert min(found.better, found.worse) == pytest.approx(test.p_value / 2)
    turned = correlated_t_chances(second, first, 1 / 9, rope=0.0)
    assert (turned.better, turned.worse) == pytest.approx((found.worse, found.better))


def test_equal_differences_leave_no_doubt():
    assert correlated_t_chances([0.5, 0.5], [0.5, 0.5], 0.1) == (0.0, 1.0, 0.0)
    assert correlated_t_chances([0.75, 0.75], [0.5, 0.5], 0.1) == (1.0, 0.0, 0.0)
    assert correlated_t_chances([0.5, 0.5], [0.75, 0.75], 0.1) == (0.0, 0.0, 1.0)
    with pytest.raises(ValueError, match="rope=-1"):
        correlated_t_chances([0.5, 0.5], [0.75, 0.75], 0.1, rope=-1)
