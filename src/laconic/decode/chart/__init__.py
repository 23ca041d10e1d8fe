"""One engine for dense charts: rules stated once, every question answered over them.

A chart is a forest whose shape depends on the length of the sentence alone. Its rules are therefore unrolled
once for each length, as plain numbers, and all sentences share them; only the scores of the parts differ.
That makes it an order of magnitude faster than a forest built for each sentence (see `laconic.forest`), which
can in turn hold what a chart cannot: rules that rewrite, templates, features.
"""
