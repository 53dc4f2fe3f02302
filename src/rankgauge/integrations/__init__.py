"""RankGauge's measures inside other libraries: scorers for scikit-learn, metrics for LightGBM, XGBoost and CatBoost.

One file for each library, named for it; importing one imports the library.
"""
