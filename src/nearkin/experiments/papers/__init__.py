"""One declarative file per paper, each with a `PAPER`; its name is the paper's on the command line."""
