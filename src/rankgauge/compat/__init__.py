"""Other libraries' own interfaces, computed by RankGauge: change the import, keep the program."""
