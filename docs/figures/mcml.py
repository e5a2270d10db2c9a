"""MCML: classes drawn together, in two dimensions."""

from common import classes, panels, save
from sklearn.datasets import load_wine
from sklearn.decomposition import PCA
from sklearn.preprocessing import scale

from nearkin import MCML


def draw(path) -> None:
    X, y = load_wine(return_X_y=True)
    X = scale(X)
    figure, axes = panels(
        "wine, principal components", "MCML, two components: towards a point each", plane=True
    )
    for ax, Z in zip(axes, (PCA(2).fit_transform(X), MCML(n_components=2).fit(X, y).transform(X))):
        classes(ax, Z, y)
    save(figure, path)
