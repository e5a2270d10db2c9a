"""nearkin: better nearest-neighbour prediction by learning the distance."""

from nearkin import _discovery

__version__ = "0.1.0"


def _learners():
    from nearkin.learners.discovery import public_learners

    return public_learners()


# Learners are found by walking their room. The module of every other public name is known, so that
# `nearkin.load` does not import all learners and `nearkin --help` does not wait seconds for scikit-learn.
__getattr__, __dir__ = _discovery.lazy_names(
    __name__,
    _learners,
    homes={
        "AverageVote": "nearkin.predictors",
        "KNNClassifier": "nearkin.predictors",
        "KNNRegressor": "nearkin.predictors",
        "MoveItems": "nearkin.learners.closed_form.move_items",
        "PairClassifier": "nearkin.predictors",
        "TripletScorer": "nearkin.predictors",
        "Study": "nearkin.study",
        "compare": "nearkin.study",
        "load": "nearkin.persistence",
        "open_rows": "nearkin.datasets.rows",
        "save": "nearkin.persistence",
        "to_faiss": "nearkin.predictors",
        "to_onnx": "nearkin.predictors",
    },
)
