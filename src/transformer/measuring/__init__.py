"""What Table 1 says of a layer, found by running it: operations, their chains, paths between positions; and time."""
