"""What cannot be beaten: programs that handle finished bytes and know nothing."""
