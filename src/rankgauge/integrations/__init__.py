"""RankGauge's measures inside other libraries: scikit-learn's scorers, and what LightGBM, XGBoost and CatBoost watch.

One file for each library, named for it; importing one imports the library.
"""
