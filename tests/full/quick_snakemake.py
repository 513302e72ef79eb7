"""Snakemake that asks SLURM every second how its jobs are; the plugin itself waits from 5 to 180 seconds."""

import asyncio
import sys

from snakemake.cli import main
from snakemake_interface_executor_plugins.executors.remote import RemoteExecutor


async def _sleep(self: RemoteExecutor) -> None:
    await asyncio.sleep(1)


RemoteExecutor.sleep = _sleep

if __name__ == "__main__":
    main(sys.argv[1:])
