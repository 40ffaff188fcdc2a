"""How fast uaef is: beside a bare Python loop (``python -m benchmarks``) and beside other packages (``.peers``)."""
