"""What is expected and what is asked, read from files and rows."""
