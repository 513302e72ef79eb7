"""Constituency parsing (section 6.3): trees, treebanks, silver trees, EVALB and a PCFG."""
