"""What runs and recordings amount to, in numbers."""
