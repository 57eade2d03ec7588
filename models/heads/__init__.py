"""Heads: each file is a kind of task on the shared encoder.

A file holds a class `Head(config, options)`, options being the head's entry in `LongleafConfig.heads`:

    forward(hidden, batch) → logits       hidden (T, hidden_size) float; what the logits' rows are is the head's own
    loss(logits, targets) → scalar        targets as the head defines them in `Batch.targets`, -100 is "not labelled"
    start_gently()                        called once after the weights are drawn
"""
