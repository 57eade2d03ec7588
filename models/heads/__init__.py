"""Heads: each file is a kind of task on the shared encoder.

A file holds a class `Head(config, options)`, options being the head's entry in `LongleafConfig.heads`:

    forward(hidden, batch, targets, words) → logits
        hidden (T, hidden_size) float; what the logits' rows are is the head's own. targets: the head's in
        `batch.targets`, None where there are none. words: the encoder's word embeddings, for heads that write words.
    loss(logits, targets) → scalar        targets as the head defines them, -100 is "not labelled"
    start_gently()                        optional: called once after the weights are drawn
"""
