"""Learners whose metric changes from place to place: that of the query, of a focal row, or a mixture."""
