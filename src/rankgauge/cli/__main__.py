"""`python -m rankgauge.cli` is `rankgauge`."""

from rankgauge.cli.main import run

if __name__ == "__main__":
    run()
