"""Sawade, Bickel, von Oertzen, Scheffer & Landwehr: active evaluation of ranking functions."""
