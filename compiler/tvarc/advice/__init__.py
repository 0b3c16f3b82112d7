"""Facts applied to a variant or a machine: lints, hosts, and the tables of the library."""
