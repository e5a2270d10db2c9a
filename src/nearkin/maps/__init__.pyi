# Written by docs/build_stubs.py from what discovery finds; do not edit.
from nearkin.maps.base import Map as Map
from nearkin.maps.gated import GatedMap as GatedMap
from nearkin.maps.kernel import KernelMap as KernelMap
from nearkin.maps.linear import DiagonalMap as DiagonalMap
from nearkin.maps.linear import LinearMap as LinearMap
from nearkin.maps.unit import UnitMap as UnitMap
