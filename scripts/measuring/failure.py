"""The two ways in which a request can end badly."""


class Failure(Exception):
    """A measurement did not succeed: exit status 1."""


class BadRequest(Exception):
    """The request cannot be carried out as written: exit status 2."""
