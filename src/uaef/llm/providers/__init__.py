"""The wire shapes of providers: pure functions from a prompt to a request and from a response to a reply."""
