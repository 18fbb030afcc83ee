"""What people look at: the text timeline and the reports."""
