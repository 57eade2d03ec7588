"""Layouts: each file is a way for the tokens' boxes to enter the embeddings.

A file holds a class `Layout(hidden_size)`:

    forward(boxes) → (T, hidden_size)       boxes (T, 4) float32, x0, y0, x1, y1 on a 0–1000 grid of the page
    start_gently()                          make what it adds zero
"""
