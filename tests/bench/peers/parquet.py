"""Samples in a file of Parquet, by DuckDB: python parquet.py DIRECTORY. It takes lines, and answers each with a line:

  store CSV     writes the samples of a file, each a time in ms, start, type and value; says how many bytes they take
  read          has all of them written as JSON, in their order; says how many they are and how many seconds that took
"""

import os
import sys
import time

import duckdb

# The smallest that it has: deltas of times, and zstd.
STORE = """
    COPY (
        SELECT epoch_ms(time)::TIMESTAMP_MS AS time, epoch_ms(start)::TIMESTAMP_MS AS start, type, value
        FROM read_csv(?, header = false, nullstr = '',
            columns = {'time': 'BIGINT', 'start': 'BIGINT', 'type': 'VARCHAR', 'value': 'DOUBLE'})
        ORDER BY time
    ) TO 'samples.parquet' (FORMAT parquet, PARQUET_VERSION v2, COMPRESSION zstd)
"""
READ = """
    COPY (
        SELECT strftime(time, '%Y-%m-%dT%H:%M:%S.%gZ') AS timestamp, value, 'bpm' AS unit
        FROM 'samples.parquet' ORDER BY time
    ) TO '/dev/null' (FORMAT json)
"""

os.chdir(sys.argv[1])
connection = duckdb.connect()
for line in sys.stdin:
    action, *argument = line.rstrip("\n").split(" ", 1)
    if action == "store":
        connection.execute(STORE, argument)
        print(os.path.getsize("samples.parquet"), flush=True)
    else:
        started = time.perf_counter()
        (count,) = connection.execute(READ).fetchone()
        print(count, time.perf_counter() - started, flush=True)
