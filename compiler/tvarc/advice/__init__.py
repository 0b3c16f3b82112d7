"""What facts say of a variant or a machine: lints, hosts, and the tables of the library."""
