"""nearkin: nearest-neighbour prediction made good by learning the distance."""

from nearkin import _discovery

__version__ = "0.1.0"


def _learners():
    from nearkin.learners.discovery import public_learners

    return public_learners()


# Learners are found by walking their room. What else is public here is known by its module: `nearkin.load`
# does not load every learner, and `nearkin --help` need not wait for scikit-learn, which takes seconds.
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
