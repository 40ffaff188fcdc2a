"""The same job done by uaef and by other packages, each in an environment of its own, in turn."""
