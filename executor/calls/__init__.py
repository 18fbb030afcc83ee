"""What a call is: block, tool, context, outcome, result, progress, and its life."""
